import { posix, win32 } from "node:path";
import { fileURLToPath } from "node:url";
import type { ContentBlock, EmbeddedResource, ImageContent, ResourceLink } from "@agentclientprotocol/sdk";
import { printable } from "../printable.js";
import { invalidParams } from "./to-request-error.js";

/** The blocks of a `session/prompt`, as far as a backend that reads text and files can have them. */
export interface ParsedPrompt {
  /** The first text block: the only one that may be a slash command. Null where there is none. */
  readonly firstText: string | null;
  readonly images: readonly PromptImage[];
  /** What was typed, with the names of what went along. @param firstText what the first text block has become. */
  toText(firstText?: string): string;
  /** The same with the texts of embedded resources behind it. */
  toPrompt(firstText?: string): string;
}

export interface PromptImage {
  /** The name of the file that it becomes; the text mentions it. */
  readonly fileName: string;
  readonly bytes: Uint8Array;
}

/** @throws RequestError -32602 for a block that no command line can be given, and for a prompt without anything. */
export function parsePrompt(blocks: readonly ContentBlock[]): ParsedPrompt {
  const pieces = toPieces(blocks);
  const first = pieces.find((piece) => piece.type === "text");
  const resources = pieces.flatMap((piece) => (piece.type === "resource" ? [piece] : []));
  const toText = (firstText?: string): string => joinPieces(pieces.map((piece) => (piece === first && firstText !== undefined ? firstText : piece.text)));
  if (toText().trim() === "") throw invalidParams("the prompt is empty");
  return {
    firstText: first?.text ?? null,
    images: pieces.flatMap((piece) => (piece.type === "image" ? [piece.image] : [])),
    toText,
    toPrompt: (firstText) => [toText(firstText), ...resources.map((resource) => toFencedText(resource.text, resource.content))].join("\n\n"),
  };
}

/** One block: what stands for it in the text, and what goes with it. */
type Piece =
  | { readonly type: "text" | "link"; readonly text: string }
  | { readonly type: "resource"; readonly text: string; readonly content: string }
  | { readonly type: "image"; readonly text: string; readonly image: PromptImage };

function toPieces(blocks: readonly ContentBlock[]): readonly Piece[] {
  let images = 0;
  return blocks.map((block) => {
    const piece = toPiece(block, images + 1);
    if (piece.type === "image") images += 1;
    return piece;
  });
}

function toPiece(block: ContentBlock, imageNumber: number): Piece {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "resource_link":
      return { type: "link", text: toMention(block) };
    case "resource":
      return toResource(block, imageNumber);
    case "image":
      return toImage(block, imageNumber);
    case "audio":
      throw invalidParams("the prompt has an audio block, which no backend takes", { type: "audio", mimeType: block.mimeType });
    default:
      throw invalidParams("the prompt has a block of an unknown type");
  }
}

function toResource({ resource }: EmbeddedResource, imageNumber: number): Piece {
  if ("text" in resource) return { type: "resource", text: toPlace(resource.uri), content: resource.text };
  const mimeType = resource.mimeType ?? "an unknown type";
  if (EXTENSIONS.has(mimeType.toLowerCase())) return toImage({ data: resource.blob, mimeType }, imageNumber);
  throw invalidParams(`the prompt embeds ${toPlace(resource.uri)} as binary data (${printable(mimeType)}), which no backend takes: link to the file, or embed its text`, { type: "resource", uri: resource.uri });
}

// --- images ---

/** A map: the types come from outside, and an object would know `constructor` too. */
const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ["image/png", ".png"],
  ["image/jpeg", ".jpg"],
  ["image/jpg", ".jpg"],
  ["image/gif", ".gif"],
  ["image/webp", ".webp"],
]);

function toImage({ data, mimeType }: Pick<ImageContent, "data" | "mimeType">, imageNumber: number): Piece {
  const extension = EXTENSIONS.get(mimeType.toLowerCase());
  if (extension === undefined) throw invalidParams(`the prompt has an image of the type ${printable(mimeType)}; images may be ${[...EXTENSIONS.keys()].join(", ")}`, { type: "image", mimeType });
  const bytes = parseBase64(data);
  if (bytes === null) throw invalidParams("the data of an image in the prompt is not base64", { type: "image", mimeType });
  const fileName = `image-${imageNumber}${extension}`;
  return { type: "image", text: `[${fileName}]`, image: { fileName, bytes } };
}

/** Node's own decoder passes over what is not base64. */
function parseBase64(data: string): Uint8Array | null {
  const plain = data.replace(/\s+/g, "");
  return plain !== "" && /^[A-Za-z0-9+/]+={0,2}$/.test(plain) ? Buffer.from(plain, "base64") : null;
}

// --- text ---

/** A link as a person would write it: the path, with the name in front where the path does not end in it. */
function toMention({ uri, name, title }: ResourceLink): string {
  const place = toPlace(uri);
  const label = printable(title ?? name).trim();
  return label === "" || baseNameOf(place) === label ? place : `${label} (${place})`;
}

/** A file's absolute path with the lines that an editor names behind it (`#L3:7`); any other address as it is. */
function toPlace(uri: string): string {
  const [address = "", ...rest] = uri.split(/(?=[?#])/);
  return printable(`${findFilePath(address) ?? address}${rest.join("")}`);
}

function findFilePath(address: string): string | null {
  if (!/^file:/i.test(address)) return null;
  try {
    return fileURLToPath(address);
  } catch {
    // a file of another machine, or a path that cannot be
    return null;
  }
}

function baseNameOf(place: string): string {
  return (place.includes("\\") ? win32 : posix).basename(place.replace(/[?#].*$/, ""));
}

/** Blocks follow each other as they were typed: a mention in the middle of a sentence stays there, but touches no word. */
function joinPieces(texts: readonly string[]): string {
  let before = "";
  const spaced = texts.map((text) => {
    const joined = needsSpace(before, text) ? ` ${text}` : text;
    // of a prompt with many blocks not all that came before is looked at again and again
    if (text !== "") before = text.slice(-MAX_CHAR_UNITS);
    return joined;
  });
  return spaced.join("");
}

/** One character is one or two units of UTF-16. */
const MAX_CHAR_UNITS = 2;

function needsSpace(before: string, after: string): boolean {
  return /[^\s([{"'`]$/u.test(before) && /^[^\s.,;:!?)\]}"'`]/u.test(after);
}

/** Nothing in the text can end the fence. */
function toFencedText(place: string, text: string): string {
  const longest = (text.match(/`+/g) ?? []).reduce((length, run) => Math.max(length, run.length), 2);
  const fence = "`".repeat(longest + 1);
  return `${place}:\n${fence}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}`;
}
