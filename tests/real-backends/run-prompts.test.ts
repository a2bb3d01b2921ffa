import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type BackendStage, onStage } from "./backend-stage.js";
import { BACKEND_IDS, type BackendId } from "./backends.js";
import { bigText } from "./directives.js";
import type { JlgcliRun } from "./run-jlgcli.js";

interface PromptCase {
  readonly title: string;
  readonly prompt: string;
  /** How it is given to jlgcli; by default as an argument after `--`. */
  readonly give?: (stage: BackendStage, prompt: string) => Promise<JlgcliRun>;
  /** What arrives where that is not the same. */
  readonly arrives?: Partial<Record<BackendId, string>>;
}

const byStdin: PromptCase["give"] = ({ run }, prompt) => run(["--json"], { input: prompt });

const byFile: PromptCase["give"] = ({ run, place }, prompt) => {
  const file = join(place.outside, "prompt.md");
  writeFileSync(file, prompt);
  return run(["--json", "--file", file]);
};

/** It begins with a slash: without the flag it is a slash command of jlgcli's own. */
const literally: PromptCase["give"] = ({ run }, prompt) => run(["--json", "--literal", "--", prompt]);

const MULTI_LINE = 'first line\n\n  indented "quoted" line\r\n\ttabbed $HOME `uname` %PATH% \\n\nlast line';
const LONG = `begin\n${bigText(200 * 1024)}\nend`;

const CASES: readonly PromptCase[] = [
  { title: "that begins with a dash", prompt: "-x --help is what?" },
  { title: "that is a flag", prompt: "--help" },
  { title: "that is a subcommand of a backend", prompt: "resume" },
  // claude would run a command of its own: a blank before it makes it a prompt.
  { title: "that looks like a command", prompt: "/help me with this", give: literally, arrives: { claude: " /help me with this" } },
  { title: "that is a command", prompt: "/status", give: literally, arrives: { claude: " /status" } },
  { title: "that begins with a path", prompt: "/etc/hosts explain it" },
  { title: "of several lines", prompt: MULTI_LINE },
  { title: "of several lines by stdin", prompt: MULTI_LINE, give: byStdin },
  { title: "of 200 KiB by a file", prompt: LONG, give: byFile },
  { title: "in other scripts", prompt: "Grüße, 世界! Ελλάδα 👩‍👩‍👧 \u{1F600} e\u0301 العربية \u2028 end" },
  // copilot trims the end.
  { title: "with blanks around it", prompt: "  two before, three after   \n\n", arrives: { copilot: "  two before, three after" } },
  { title: "with mentions, variables and bangs", prompt: "!ls @file $HOME # not a comment" },
];

describe.concurrent.each(BACKEND_IDS)("the model behind %s hears a prompt", (backend) => {
  it.each(CASES)("$title", ({ prompt, give, arrives }) =>
    onStage(backend, {}, async (stage) => {
      const ended = await (give?.(stage, prompt) ?? stage.run(["--json", "--", prompt]));
      expect(ended.result).toMatchObject({ exitCode: 0, status: "success" });
      const expected = arrives?.[backend] ?? prompt;
      const heard = stage.server.calls[0]?.prompt ?? "";
      expect(heard.length).toBe(expected.length);
      expect(heard).toBe(expected);
      expect(stage.server.calls).toHaveLength(1);
    }),
  );

  it.each(["", "  \n\t "])("never if it is blank (%j): that is 64, and nothing is started", (prompt) =>
    onStage(backend, { callsAreDue: false }, async ({ run }) => {
      const ended = await run(["--json", "--", prompt]);
      expect(ended.result).toMatchObject({ exitCode: 64, status: "usage", text: "the prompt is empty" });
    }),
  );
});
