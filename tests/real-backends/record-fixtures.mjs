// Records the backends' real output anew: node tests/real-backends/record-fixtures.mjs [BACKEND [CASE…]]
import { fileURLToPath } from "node:url";
import { importTypeScript } from "./import-typescript.mjs";

const { recordFixtures } = await importTypeScript("record-fixtures.ts");
const [backend, ...cases] = process.argv.slice(2);
const target = fileURLToPath(new URL("../fixtures/output", import.meta.url));
for (const id of backend === undefined ? ["claude", "codex", "copilot"] : [backend])
  await recordFixtures(id, target, (name) => cases.length === 0 || cases.includes(name));
