// Runs the model server by itself, for work by hand: node tests/real-backends/serve.mjs [PORT]
// Node 20 cannot read TypeScript, so the server is bundled in memory first.
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const bundle = await rolldown({ input: fileURLToPath(new URL("model-server.ts", import.meta.url)), platform: "node" });
const { output } = await bundle.generate({ format: "esm" });
const { startModelServer } = await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);

const server = await startModelServer({ port: Number(process.argv[2] ?? 8089) });
console.log(`model server on ${server.url}; see directives.ts for what a prompt can ask for; Ctrl-C ends it`);
process.once("SIGINT", () => {
  console.log(`\n${server.describeRequests()}`);
  void server.close();
});
