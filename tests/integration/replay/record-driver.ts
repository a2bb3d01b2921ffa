/** Records a program that prints a megabyte, and prints as JSON what became of it. Its one argument is the cassette. */
import { createProcessSpawner } from "../../../src/process/spawner.js";
import { JlgcliError } from "../../../src/errors.js";
import { createCassetteWriter } from "../../../src/sinks/cassette-writer.js";
import { createRecordingSpawner } from "../../../src/sinks/recording-spawner.js";
import { createRedactor } from "../../../src/sinks/redact.js";

const writer = createCassetteWriter(process.argv[2] ?? "", { backend: "claude", backendVersion: null }, createRedactor({}));
let seenBytes = 0;
const script = 'for (let i = 0; i < 10000; i++) process.stdout.write("x".repeat(99) + "\\n")';
const child = createRecordingSpawner(createProcessSpawner(), writer).spawn(process.execPath, ["-e", script], {
  cwd: "/",
  env: {},
  onStdout: (chunk) => {
    seenBytes += chunk.length;
  },
});
child.endStdin();
const { exitCode } = await child.done;
try {
  writer.close();
} catch (error) {
  const { code, message } = error instanceof JlgcliError ? error : { code: "none", message: String(error) };
  process.stdout.write(JSON.stringify({ exitCode, seenBytes, error: code, message }));
}
