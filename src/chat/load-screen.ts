import { pathToFileURL } from "node:url";
import { findPackageFile } from "../package-file.js";
import type { runScreen } from "./ui/screen.js";

/**
 * The screen of a chat. It stands in a bundle of its own, since React and what draws with it are ES modules that wait for
 * each other at the top level, which the rest of the command line, being CommonJS, cannot hold; and since nothing but a
 * chat may pay for them.
 * @throws JlgcliError `INTERNAL` where the package is not whole.
 */
export async function loadScreen(): Promise<typeof runScreen> {
  // Neither a compiler nor a bundler may follow this: it is a file of the built package.
  const url: string = pathToFileURL(findPackageFile(CHAT_BUNDLE)).href;
  const loaded = (await import(url)) as { readonly runScreen: typeof runScreen };
  return loaded.runScreen;
}

const CHAT_BUNDLE = "dist/chat-ui.mjs";
