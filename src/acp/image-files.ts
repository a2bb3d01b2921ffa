import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import type { BackendCapabilities } from "../adapters/capabilities.js";
import { JlgcliError, describeError } from "../errors.js";
import type { PromptImage } from "./parse-prompt.js";
import { invalidParams } from "./to-request-error.js";

/** Images as files, which is how a command line takes them. */
export interface ImageFiles {
  /** Absolute paths. */
  readonly paths: readonly string[];
  remove(): void;
}

/** @throws RequestError -32602 where the backend takes no such file: it names the backend and what it takes. */
export function assertTakesImages(images: readonly PromptImage[], { displayName, attachments }: BackendCapabilities): void {
  const refused = images.find(({ fileName }) => attachments !== "any" && !attachments.includes(extname(fileName)));
  if (refused === undefined || attachments === "any") return;
  const takes = attachments.length === 0 ? "it takes text alone" : `it takes ${attachments.join(", ")}`;
  throw invalidParams(`${displayName} cannot be given an image of the type ${extname(refused.fileName)}: ${takes}`, { type: "image", takes: attachments });
}

/** Writes private files (0600) into a private folder (0700). @throws JlgcliError `CANNOT_CREATE` */
export function writeImageFiles(images: readonly PromptImage[]): ImageFiles {
  if (images.length === 0) return { paths: [], remove: () => undefined };
  const folder = makeFolder();
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    return { paths: images.map((image) => writeImage(folder, image)), remove };
  } catch (error) {
    remove();
    throw refuse(error);
  }
}

function makeFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), "jlgcli-"));
  } catch (error) {
    throw refuse(error);
  }
}

function writeImage(folder: string, { fileName, bytes }: PromptImage): string {
  const path = join(folder, fileName);
  writeFileSync(path, bytes, { mode: 0o600, flag: "wx" });
  return path;
}

function refuse(error: unknown): JlgcliError {
  return new JlgcliError("CANNOT_CREATE", `the images of the prompt cannot be written: ${describeError(error)}`, { hint: "is there room in the folder for temporary files?", cause: error });
}
