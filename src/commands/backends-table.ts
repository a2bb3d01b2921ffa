import { printable } from "../printable.js";
import { styled } from "../render/style.js";
import type { BackendReport, BackendStatus } from "./backend-report.js";
import { tildePath } from "./tilde-path.js";
import { toTable, TERMINAL_COLUMNS } from "./table.js";

export interface TableView {
  /** Written as `~`. */
  readonly home: string;
  /** A terminal gets no line that it would have to wrap; a pipe gets everything. */
  readonly isTty: boolean;
  readonly color: boolean;
}

/** The backends as a table, one line each, and below it what to do next. */
export function toBackendsText(backends: readonly BackendReport[], view: TableView): string {
  const rows = backends.map((backend) => toRow(backend, view));
  const table = toTable(HEAD, rows, view.isTty ? TERMINAL_COLUMNS : null);
  const lines = table.map((line, index) => colorLine(line, backends[index - 1]?.status, view.color));
  return [...lines, ...listNextSteps(backends, view)].map((line) => `${line}\n`).join("");
}

const HEAD = [" ", "BACKEND", "STATUS", "VERSION", "PROGRAM"];

function toRow(backend: BackendReport, { home }: TableView): readonly string[] {
  const { isDefault, id, status, version, program, kind, details } = backend;
  const place = program === null ? (kind === "simulated" ? (details ?? "") : "-") : tildePath(printable(program), home);
  return [isDefault ? "*" : "", id, status, describeVersion(backend, version), place];
}

function describeVersion({ program, versionTested }: BackendReport, version: string | null): string {
  if (version === null) return program === null ? "-" : "unknown";
  return versionTested === false ? `${version} (!)` : version;
}

const STATUS_STYLES: Readonly<Record<BackendStatus, "green" | "yellow" | "red">> = {
  available: "green",
  unauthenticated: "yellow",
  missing: "red",
  unsupported: "red",
  invalid: "red",
};

function colorLine(line: string, status: BackendStatus | undefined, color: boolean): string {
  if (status === undefined) return styled("dim", line, color);
  return line.replace(new RegExp(`(?<= )${status}(?= |$)`), (word) => styled(STATUS_STYLES[status], word, color));
}

function listNextSteps(backends: readonly BackendReport[], view: TableView): readonly string[] {
  const steps = backends.map((backend) => [backend.id, describeNextStep(backend)] as const).filter(([, step]) => step !== null);
  const width = Math.max(0, ...steps.map(([id]) => id.length));
  const legend = backends.some(({ isDefault }) => isDefault) ? ["* the backend of a run that names none"] : [];
  return [
    ...(legend.length + steps.length === 0 ? [] : [""]),
    ...legend.map((line) => styled("dim", line, view.color)),
    ...(legend.length * steps.length === 0 ? [] : [""]),
    ...steps.map(([id, step]) => `${id.padEnd(width)}  ${step}`),
  ];
}

/** A command where there is one, else the sentence about the status. */
const DESCRIBE_STEP: Partial<Readonly<Record<BackendStatus, (step: string) => string>>> = {
  missing: (step) => `install it with: ${step}`,
  unauthenticated: (step) => `sign in with: ${step}`,
};

function describeNextStep({ status, kind, details, nextStep }: BackendReport): string | null {
  if (kind === "simulated" && status === "available") return null;
  if (nextStep === null) return details;
  return DESCRIBE_STEP[status]?.(nextStep) ?? `${details ?? ""} (see: ${nextStep})`;
}
