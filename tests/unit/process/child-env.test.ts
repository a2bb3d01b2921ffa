import { describe, expect, it, test } from "vitest";
import { AGENT_MARKERS, toChildEnv } from "../../../src/process/child-env.js";

const RUN = { runId: "run-1", cwd: "/folder", platform: "linux" } as const;

describe("the environment of a child", () => {
  it("keeps credentials, configuration and everything else of the caller", () => {
    const base = { PATH: "/bin", HOME: "/home/me", ANTHROPIC_API_KEY: "key", CODEX_HOME: "/codex", CLAUDE_CONFIG_DIR: "/claude", NODE_EXTRA_CA_CERTS: "/ca.pem", SSL_CERT_FILE: "/ca.pem" };
    expect(toChildEnv(base, RUN)).toMatchObject(base);
  });

  test.each(AGENT_MARKERS)("takes away %s, the mark of a surrounding agent", (marker) => {
    expect(toChildEnv({ [marker]: "1", KEPT: "1" }, RUN)).not.toHaveProperty(marker);
  });

  it("asks for plain output and forbids nobody's colour forcing to beat it", () => {
    const env = toChildEnv({ FORCE_COLOR: "3", CLICOLOR_FORCE: "1", TERM: "xterm-256color" }, RUN);
    expect(env).toMatchObject({ NO_COLOR: "1", TERM: "dumb" });
    expect(env).not.toHaveProperty("FORCE_COLOR");
    expect(env).not.toHaveProperty("CLICOLOR_FORCE");
  });

  it("passes on no trust that was given to this run", () => {
    expect(toChildEnv({ JLGCLI_TRUST: "1", JLGCLI_BACKEND: "codex" }, RUN)).toMatchObject({ JLGCLI_BACKEND: "codex" });
    expect(toChildEnv({ JLGCLI_TRUST: "1" }, RUN)).not.toHaveProperty("JLGCLI_TRUST");
  });

  it("names the true working directory and this run, whatever the caller or the record say", () => {
    const env = toChildEnv({ PWD: "/elsewhere", JLGCLI_RUN_ID: "outer" }, { ...RUN, cwd: "/folder/../other", set: { PWD: "/wrong", JLGCLI_RUN_ID: "wrong" } });
    expect(env).toMatchObject({ PWD: "/other", JLGCLI_RUN_ID: "run-1" });
  });

  it("lets the record remove a variable, and set one over everything but those two", () => {
    const env = toChildEnv({ WIDENS_ACCESS: "1", MODE: "a" }, { ...RUN, remove: ["WIDENS_ACCESS"], set: { MODE: "b", TERM: "vt100" } });
    expect(env).toMatchObject({ MODE: "b", TERM: "vt100" });
    expect(env).not.toHaveProperty("WIDENS_ACCESS");
  });

  it("drops variables without a value", () => {
    expect(toChildEnv({ GONE: undefined, EMPTY: "" }, { ...RUN, set: { ALSO_GONE: undefined } })).toEqual({
      EMPTY: "",
      JLGCLI_RUN_ID: "run-1",
      NO_COLOR: "1",
      PWD: "/folder",
      TERM: "dumb",
    });
  });

  it("changes nothing in the caller's own object", () => {
    const base = Object.freeze({ CLAUDECODE: "1" });
    expect(() => toChildEnv(base, RUN)).not.toThrow();
  });
});

describe("proxies", () => {
  test.each([
    ["lower case only", { https_proxy: "http://p:1" }, { https_proxy: "http://p:1", HTTPS_PROXY: "http://p:1" }],
    ["upper case only", { NO_PROXY: "localhost" }, { no_proxy: "localhost", NO_PROXY: "localhost" }],
    ["both, different", { http_proxy: "a", HTTP_PROXY: "b" }, { http_proxy: "a", HTTP_PROXY: "b" }],
  ])("are given in both cases: %s", (_title, base, expected) => {
    expect(toChildEnv(base, RUN)).toMatchObject(expected);
  });

  it("are not invented", () => {
    expect(Object.keys(toChildEnv({}, RUN)).filter((name) => /proxy/i.test(name))).toEqual([]);
  });
});

describe("on Windows, where names have no case", () => {
  const windows = { ...RUN, platform: "win32" } as const;

  it("takes markers away in any spelling", () => {
    expect(toChildEnv({ ClaudeCode: "1", force_color: "1" }, windows)).not.toHaveProperty("ClaudeCode");
    expect(toChildEnv({ force_color: "1" }, windows)).not.toHaveProperty("force_color");
  });

  it("replaces a variable instead of giving it twice", () => {
    const env = toChildEnv({ Path: "C:\\a" }, { ...windows, set: { PATH: "C:\\b" } });
    expect(Object.entries(env).filter(([name]) => name.toLowerCase() === "path")).toEqual([["Path", "C:\\b"]]);
  });

  it("gives a proxy once", () => {
    const names = Object.keys(toChildEnv({ HTTPS_PROXY: "http://p:1" }, windows)).filter((name) => /https_proxy/i.test(name));
    expect(names).toEqual(["HTTPS_PROXY"]);
  });
});
