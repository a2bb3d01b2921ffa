import { describe, expect, it } from "vitest";
import { CommandService, type CommandServiceOptions } from "../../../src/slash-commands/command-service.js";
import { CommandKind, type CommandLoader, type SlashCommand } from "../../../src/slash-commands/types.js";

const signal = new AbortController().signal;

function aCommand(name: string, fields: Partial<SlashCommand> = {}): SlashCommand {
  return { name, description: `about ${name}`, kind: CommandKind.FILE, ...fields };
}

function loaderOf(...commands: SlashCommand[]): CommandLoader {
  return { loadCommands: () => Promise.resolve(commands) };
}

async function serviceOf(commands: readonly SlashCommand[], options?: CommandServiceOptions): Promise<CommandService> {
  return CommandService.create([loaderOf(...commands)], signal, options);
}

function namesOf(commands: readonly SlashCommand[]): string[] {
  return commands.map((command) => command.name);
}

describe("loaders", () => {
  it("hides nothing of the others when one fails", async () => {
    const failing: CommandLoader = { label: "the broken one", loadCommands: () => Promise.reject(new Error("disk on fire")) };
    const service = await CommandService.create([loaderOf(aCommand("a")), failing, loaderOf(aCommand("b"))], signal);
    expect(namesOf(service.getCommands())).toEqual(["a", "b"]);
    expect(service.getProblems()).toEqual([
      { severity: "error", path: "the broken one", line: null, reason: "could not be loaded: disk on fire", commandName: null },
    ]);
  });

  it("survives a loader that throws before it gives a promise", async () => {
    const throwing: CommandLoader = {
      loadCommands: () => {
        throw new Error("at once");
      },
    };
    const service = await CommandService.create([throwing, loaderOf(aCommand("a"))], signal);
    expect(namesOf(service.getCommands())).toEqual(["a"]);
    expect(service.getProblems()[0]?.reason).toContain("at once");
  });

  it("runs at the same time as the others", async () => {
    let release: (() => void) | undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const waiting: CommandLoader = { loadCommands: () => gate.then(() => [aCommand("late")]) };
    const opening: CommandLoader = {
      loadCommands: () => {
        release?.();
        return Promise.resolve([aCommand("early")]);
      },
    };
    const service = await CommandService.create([waiting, opening], signal);
    expect(namesOf(service.getCommands()).sort()).toEqual(["early", "late"]);
  });

  it("hands on the problems that a loader noted itself", async () => {
    const noting: CommandLoader = {
      loadCommands: () => Promise.resolve([]),
      problems: () => [{ severity: "warning", path: "x.md", line: 3, reason: "odd", commandName: "x" }],
    };
    const service = await CommandService.create([noting], signal);
    expect(service.getProblems()).toHaveLength(1);
  });
});

describe("names", () => {
  const builtIn = aCommand("review", { kind: CommandKind.BUILT_IN, scope: "builtin", commandType: "prompt" });
  const project = aCommand("review", { scope: "project", qualifiedNames: ["project:review", "project:claude:review"] });
  const user = aCommand("review", { scope: "user", qualifiedNames: ["user:review", "user:gemini:review"] });
  const extension = aCommand("review", { source: "plugin-command", extensionName: "acme" });
  const bundled = aCommand("review", { kind: CommandKind.SKILL, source: "bundled-skill" });
  const mcp = aCommand("review", { kind: CommandKind.MCP_PROMPT, scope: "mcp", qualifiedNames: ["mcp:git:review"] });

  it("belong to built-in, project, user, extension, bundled, MCP, in this order, whatever the order of loading", async () => {
    const all = [mcp, bundled, extension, user, project, builtIn];
    const service = await serviceOf(all);
    expect(namesOf(service.getCommands())).toEqual([
      "review",
      "project:review",
      "user:review",
      "acme:review",
      "bundled:review",
      "mcp:git:review",
    ]);
    expect(service.getCommands()[0]?.kind).toBe(CommandKind.BUILT_IN);
    const withoutFirst = await serviceOf(all.slice(0, -1));
    expect(withoutFirst.getCommands()[0]?.scope).toBe("project");
  });

  it("that clash are all reported with the name that leads to the loser", async () => {
    const service = await serviceOf([user, project, mcp]);
    expect(service.getShadowings().map(({ name, winner, reachableAs }) => [name, winner.scope, reachableAs])).toEqual([
      ["review", "project", "user:review"],
      ["review", "project", "mcp:git:review"],
    ]);
  });

  it("with a prefix lead to their command, shadowed or not", async () => {
    const service = await serviceOf([user, mcp]);
    expect(service.find("user:review", "acp")).toMatchObject({ type: "found", command: { name: "review", scope: "user" } });
    expect(service.find("mcp:git:review", "acp")).toMatchObject({ type: "found", command: { scope: "mcp" } });
    expect(service.find("project:review", "acp")).toEqual({ type: "not-found" });
  });

  it("of two equal places get the next prefix, then a number", async () => {
    const twin = { ...user, qualifiedNames: ["user:review", "user:claude:review"] };
    const service = await serviceOf([project, user, twin, twin]);
    expect(namesOf(service.getCommands())).toEqual(["review", "user:review", "user:claude:review", "user:claude:review2"]);
  });

  it("are no conflict where the modes have nothing in common", async () => {
    const dialog = aCommand("model", { kind: CommandKind.BUILT_IN, commandType: "local-jsx" });
    const text = aCommand("model", { kind: CommandKind.BUILT_IN, commandType: "local", supportedModes: ["non_interactive", "acp"] });
    const service = await serviceOf([dialog, text]);
    expect(service.getShadowings()).toEqual([]);
    expect(service.find("model", "interactive")).toMatchObject({ type: "found", command: { commandType: "local-jsx" } });
    expect(service.find("model", "acp")).toMatchObject({ type: "found", command: { commandType: "local" } });
    expect(namesOf(service.getCommandsForMode("acp"))).toEqual(["model"]);
  });

  it("are a conflict as soon as one mode is shared", async () => {
    const dialog = aCommand("model", { kind: CommandKind.BUILT_IN, commandType: "local-jsx" });
    const service = await serviceOf([dialog, aCommand("model", { scope: "user" })]);
    expect(namesOf(service.getCommands())).toEqual(["model", "user:model"]);
    expect(service.find("model", "acp")).toMatchObject({ type: "wrong-mode", supportedModes: ["interactive"] });
  });

  it("of a built-in's alias are reserved, other aliases give way", async () => {
    const help = aCommand("help", { kind: CommandKind.BUILT_IN, commandType: "prompt", altNames: ["h", "?"] });
    const service = await serviceOf([help, aCommand("h", { scope: "user" }), aCommand("x", { altNames: ["y", "z"] }), aCommand("y")]);
    expect(namesOf(service.getCommands())).toEqual(["help", "user:h", "x", "y"]);
    expect(service.find("h", "acp")).toMatchObject({ command: { name: "help" } });
    expect(service.find("y", "acp")).toMatchObject({ command: { name: "y" } });
    expect(service.find("z", "acp")).toMatchObject({ command: { name: "x" } });
    expect(service.getShadowings().map((shadowing) => shadowing.name)).toEqual(["h", "y"]);
  });

  it("are case-sensitive and compared in NFC", async () => {
    const service = await serviceOf([aCommand("re\u0301sume\u0301")]);
    expect(service.getCommands()[0]?.name).toBe("r\u00e9sum\u00e9");
    expect(service.find("re\u0301sume\u0301", "acp").type).toBe("found");
    expect(service.find("R\u00e9sum\u00e9", "acp").type).toBe("not-found");
  });
});

describe("what is listed", () => {
  const commands = [
    aCommand("plain", { modelInvocable: true }),
    aCommand("hidden", { hidden: true, modelInvocable: true }),
    aCommand("model-only", { userInvocable: false, modelInvocable: true }),
    aCommand("dialog", { kind: CommandKind.BUILT_IN }),
    aCommand("nowhere", { supportedModes: [] }),
  ];

  it("for a mode is visible, typeable and works there", async () => {
    const service = await serviceOf(commands);
    expect(namesOf(service.getCommandsForMode("non_interactive"))).toEqual(["plain"]);
    expect(namesOf(service.getCommandsForMode("interactive"))).toEqual(["dialog", "plain"]);
  });

  it("for the model is visible and open to it", async () => {
    const service = await serviceOf(commands);
    expect(namesOf(service.getModelInvocableCommands())).toEqual(["plain", "model-only"]);
  });

  it("as a whole has hidden ones too", async () => {
    const service = await serviceOf(commands);
    expect(namesOf(service.getCommands())).toEqual(["dialog", "plain", "hidden", "model-only", "nowhere"]);
  });
});

describe("what is switched off", () => {
  it("answers disabled under every name, in any case, and is not listed", async () => {
    const service = await serviceOf([aCommand("review", { altNames: ["r"], qualifiedNames: ["user:review"] })], { disabled: ["/REVIEW"] });
    expect(service.getCommands()).toEqual([]);
    for (const name of ["review", "r", "user:review"]) expect(service.find(name, "acp").type).toBe("disabled");
  });

  it("keeps its name taken", async () => {
    const service = await serviceOf([aCommand("review", { scope: "project" }), aCommand("review", { scope: "user" })], { disabled: ["review"] });
    expect(service.find("review", "acp").type).toBe("disabled");
    expect(service.find("user:review", "acp").type).toBe("found");
  });
});
