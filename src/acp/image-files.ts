import { extname } from "node:path";
import type { BackendCapabilities } from "../adapters/capabilities.js";
import { writeTempFiles, type TempFiles } from "../temp-files.js";
import type { PromptImage } from "./parse-prompt.js";
import { invalidParams } from "./to-request-error.js";

/** @throws RequestError -32602 where the backend takes no such file: it names the backend and what it takes. */
export function assertTakesImages(images: readonly PromptImage[], { displayName, attachments }: BackendCapabilities): void {
  const refused = images.find(({ fileName }) => attachments !== "any" && !attachments.includes(extname(fileName)));
  if (refused === undefined || attachments === "any") return;
  const takes = attachments.length === 0 ? "it takes text alone" : `it takes ${attachments.join(", ")}`;
  throw invalidParams(`${displayName} cannot be given an image of the type ${extname(refused.fileName)}: ${takes}`, { type: "image", takes: attachments });
}

/** Images as files, which is how a command line takes them. @throws JlgcliError `CANNOT_CREATE` */
export function writeImageFiles(images: readonly PromptImage[]): TempFiles {
  return writeTempFiles(images.map(({ fileName, bytes }) => ({ name: fileName, content: bytes })), "the images of the prompt");
}
