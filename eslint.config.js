import { fileURLToPath } from "node:url";
import { FlatCompat } from "@eslint/eslintrc";
import js from "@eslint/js";

const compat = new FlatCompat({
  baseDirectory: fileURLToPath(new URL(".", import.meta.url)),
  recommendedConfig: js.configs.recommended,
  allConfig: js.configs.all,
});

export default [
  { ignores: ["dist/", "coverage/", "**/node_modules/", "tests/fixtures/output/"] },
  ...compat.config((await import("./.eslintrc.cjs")).default),
];
