/**
 * Packages without a licence file whose sources name the same licence and the same holder as another one's:
 * `Copyright (c) Meta Platforms, Inc. and affiliates.`, MIT.
 */
const SAME_TEXT_AS = { "yoga-layout": "react" };

/**
 * The text of THIRD_PARTY_NOTICES.md: every package that is part of a bundle, with its licence in full.
 * A package without a licence or without its text is refused, since then we may not ship it.
 */
export function renderNotices(packages) {
  const unique = new Map(packages.map((one) => [`${one.name}@${one.version}`, completeText(one, packages)]));
  const sorted = [...unique.keys()].sort().map((key) => unique.get(key));
  const list = sorted.map((one) => `| ${one.name} | ${one.version} | ${one.license} |`);
  return [
    "# Third-party notices",
    "",
    "The bundled command line (`dist/*.cjs`, `dist/chat-ui.mjs`, `dist/chunks/`) contains code of the packages below.",
    "This file is made by `npm run build`.",
    "",
    "| package | version | licence |",
    "| --- | --- | --- |",
    ...list,
    "",
    ...sorted.flatMap(renderPackage),
  ].join("\n");
}

function completeText(one, packages) {
  if (one.licenseText || SAME_TEXT_AS[one.name] === undefined) return one;
  const other = packages.find(({ name, license }) => name === SAME_TEXT_AS[one.name] && license === one.license);
  return { name: one.name, version: one.version, license: one.license, licenseText: other?.licenseText };
}

function renderPackage(one) {
  if (!one.license || !one.licenseText) {
    throw new Error(`${one.name}@${one.version}: bundled, but its licence text was not found`);
  }
  return [`## ${one.name}`, "", "```text", one.licenseText.replaceAll("\r\n", "\n").trim(), "```", ""];
}
