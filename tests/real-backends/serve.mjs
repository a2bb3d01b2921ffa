// Runs the model server by itself, for work by hand: node tests/real-backends/serve.mjs [PORT]
import { importTypeScript } from "./import-typescript.mjs";

const { startModelServer } = await importTypeScript("model-server.ts");
const server = await startModelServer({ port: Number(process.argv[2] ?? 8089) });
console.log(`model server on ${server.url}; see directives.ts for what a prompt can ask for; Ctrl-C ends it`);
process.once("SIGINT", () => {
  console.log(`\n${server.describeRequests()}`);
  void server.close();
});
