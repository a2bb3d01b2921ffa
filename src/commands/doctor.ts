import { homedir } from "node:os";
import { findHome } from "../environment.js";
import { toRealPath } from "../config/real-path.js";
import { EXIT_TABLE, SUCCESS_EXIT_CODE } from "../exit-codes.js";
import { printable } from "../printable.js";
import { styled, wantsColor } from "../render/style.js";
import { createRedactor } from "../sinks/redact.js";
import { VERSION } from "../version.js";
import { examine, type CheckLevel, type DoctorCheck, type Examination } from "./doctor-checks.js";
import { toMarkdown } from "./doctor-report.js";
import type { CommandIo } from "../command-io.js";
import { tildePath } from "./tilde-path.js";

/**
 * `jlgcli doctor`: looks at everything that a run depends on. Gives 0 where nothing is wrong, else the highest code of
 * what is: 78 configuration or a backend record, 73 no folder for temporary files, 2 no backend available, 1 this Node
 * is too old.
 */
export async function runDoctorCommand(flags: { readonly report?: boolean; readonly json?: boolean }, io: CommandIo): Promise<number> {
  const found = await examine(io);
  const exitCode = Math.max(SUCCESS_EXIT_CODE, ...found.checks.map(({ status }) => (status === null ? SUCCESS_EXIT_CODE : EXIT_TABLE[status].code)));
  const hide = flags.report === true ? createHider(found, io) : (text: string): string => text;
  if (flags.json === true) io.stdout(`${toJson(found, exitCode, hide)}\n`);
  else if (flags.report === true) io.stdout(toMarkdown(found, hide));
  else io.stdout(toText(found.checks, wantsColor(io.stdoutIsTty, io.env)));
  await io.drained?.();
  return exitCode;
}

/** Takes out credentials and where the person's home is. */
function createHider({ env }: Examination, io: CommandIo): (text: string) => string {
  const redact = createRedactor({ ...io.env, ...env });
  const home = findHome(env);
  const homes = [...new Set([home, toRealPath(home), homedir(), toRealPath(homedir())])];
  return (text) => homes.reduce(tildePath, redact(text));
}

function toJson({ checks, backends }: Examination, exitCode: number, hide: (text: string) => string): string {
  const report = { jlgcliVersion: VERSION, exitCode, checks, backends };
  return JSON.stringify(report, (_key, value: unknown) => (typeof value === "string" ? hide(value) : value), 2);
}

const LEVEL_STYLES: Readonly<Record<CheckLevel, "green" | "dim" | "yellow" | "red">> = { ok: "green", note: "dim", warning: "yellow", problem: "red" };

const LEVEL_WIDTH = "problem".length;

function toText(checks: readonly DoctorCheck[], color: boolean): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const indent = " ".repeat(LEVEL_WIDTH + 2 + width + 2);
  const lines = checks.flatMap(({ level, name, message, nextStep }) => [
    `${styled(LEVEL_STYLES[level], level.padEnd(LEVEL_WIDTH), color)}  ${name.padEnd(width)}  ${printable(message)}`,
    ...(nextStep === null ? [] : [`${indent}${printable(nextStep)}`]),
  ]);
  return [...lines, "", describeOutcome(checks)].map((line) => `${line}\n`).join("");
}

function describeOutcome(checks: readonly DoctorCheck[]): string {
  const count = (level: CheckLevel): number => checks.filter((check) => check.level === level).length;
  const [problems, warnings] = [count("problem"), count("warning")];
  if (problems + warnings === 0) return "nothing is wrong";
  return `${toCount(problems, "problem")}, ${toCount(warnings, "warning")}`;
}

function toCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

