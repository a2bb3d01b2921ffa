import { Argument, type Command } from "commander";
import { SCHEMA_NAMES, type SchemaName } from "../schema-names.js";
import type { ProgramSession } from "./session.js";

/** `jlgcli schema` */
export function addSchema(program: Command, session: ProgramSession): void {
  program
    .command("schema")
    .description("print the JSON Schema of the events, the result, the configuration or a backend record")
    .addArgument(new Argument("<name>", "what to describe").choices(SCHEMA_NAMES))
    .addHelpText("after", "\nExamples:\n  $ jlgcli schema result > result.schema.json")
    .action(async (name: SchemaName) => {
      const { runSchemaCommand } = await import("../commands/schema.js");
      session.exitCode = runSchemaCommand(name, session.io);
    });
}
