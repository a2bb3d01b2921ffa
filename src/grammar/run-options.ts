import { Option, type Command } from "commander";
import { OUTPUT_FORMATS } from "../config/formats.js";
import { ACCESS_LEVELS } from "../events/schema.js";
import { parseExitMap, type ExitMap } from "../exit-map.js";

/** What `run` and `loop` have in common. */
export function addRunOptions(command: Command, onExitMap: (map: ExitMap) => void): Command {
  return command
    .option("-b, --backend <ids>", "backend to run on; several with commas between them are tried in order, 'auto' is the first that is available (default: the configured one, else copilot)")
    .option("-m, --model <name>", "model, as the backend names it")
    .option("--effort <level>", "how much the model thinks, as the backend names it")
    .addOption(new Option("--access <level>", "what the backend's tools may do (default: read-only)").choices(ACCESS_LEVELS))
    .option("--system-prompt <text>", "replace the backend's own system prompt")
    .option("--append-system-prompt <text>", "add to the backend's own system prompt")
    .option("-C, --cwd <dir>", "working directory of the backend")
    .option("-e, --env <name=value>", "set a variable for the backend (repeatable)", collect)
    .option("--backend-arg <arg>", "pass an argument on to the backend as it is (repeatable)", collect)
    .option("-f, --file <path>", "read the prompt from a file ('-' is standard input)")
    .option("--idle-timeout <duration>", "time without any output of the backend (default: 15m)")
    .option("--first-byte-timeout <duration>", "time until the backend's first output (default: off)")
    .addOption(new Option("--output <format>", "what stdout carries (default: text)").choices(OUTPUT_FORMATS))
    .option("--json", "the same as --output json")
    .option("--output-file <file>", "write the answer, or the JSON, to a file too")
    .option("--attach <file>", "send an image or a document with the prompt (repeatable)", collect)
    .option("--retries <n>", "how often to ask again when rate-limited or not reachable (default: 0)")
    .option("--fallback-after-tools", "ask again or elsewhere also when tools may have changed something")
    .addOption(new Option("--verbosity <level>", "what stderr tells: 0 errors alone, 1 the cost, 2 the steps, 3 everything (default: 2 on a terminal, else 1)").choices(["0", "1", "2", "3"]))
    .option("-q, --quiet", "the same as --verbosity 0")
    .option("-v, --verbose", "the same as --verbosity 2; twice: 3", countUp)
    .option("--github", "give the result to later steps of GitHub Actions, and keep its lines from being commands")
    .option("--exit-map <pairs>", "exit with other numbers: 2=125,6=125", (text) => {
      onExitMap(parseExitMap(text));
      return text;
    })
    .option("--strict-permissions", "fail (1) when a tool was refused")
    .option("--strict-model", "fail (1) when another model answered than the one that was asked for")
    .option("--cassette <file>", "recording that the backend 'replay' plays")
    .option("--literal", "take a prompt that begins with '/' as text, not as a slash command")
    .option("--allow-shell", "let a slash command run its shell blocks")
    .option("--artifacts [dir]", "keep the run in a folder of its own, without secrets (default: .jlgcli/runs/<id>)")
    .option("--trust", "use all of the project's configuration for this run");
}

/** Once is 2, twice is 3. */
function countUp(_value: string, earlier = 1): number {
  return earlier + 1;
}

function collect(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}
