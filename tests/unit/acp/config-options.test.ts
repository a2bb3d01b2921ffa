import { describe, expect, it } from "vitest";
import { parseConfigChange, toConfigOptions, toModes } from "../../../src/acp/config-options.js";
import type { ConversationSettings } from "../../../src/conversation/types.js";
import { FAKE_CAPABILITIES, createFakeHost } from "./fake-host.js";

const settings: ConversationSettings = { backend: "fake", model: null, access: null };
const sources = async (fields: Partial<ConversationSettings> = {}, capabilities = FAKE_CAPABILITIES) => ({
  settings: { ...settings, ...fields },
  capabilities,
  backends: await createFakeHost().backends("/"),
});

describe("toConfigOptions", () => {
  it("gives the backend, the model and the access level, each with what is in force", async () => {
    expect(toConfigOptions(await sources())).toMatchObject([
      { id: "backend", category: "_backend", type: "select", currentValue: "fake" },
      { id: "model", category: "model", type: "select", currentValue: "default" },
      { id: "access", category: "mode", type: "select", currentValue: "read-only" },
    ]);
    expect(toConfigOptions(await sources({ model: "large", access: "full" })).map((option) => option.currentValue)).toEqual(["fake", "large", "full"]);
  });

  it("offers the backends that are there, with what is to be done first", async () => {
    const [backend] = toConfigOptions(await sources());
    expect(backend).toMatchObject({
      options: [
        { value: "fake", name: "Fake" },
        { value: "other", name: "Other", description: "unauthenticated: run other login" },
      ],
    });
  });

  it("offers a backend and a model that were chosen, though no list has them", async () => {
    const [backend, model] = toConfigOptions(await sources({ backend: "mine", model: "huge" }));
    expect(backend).toMatchObject({ currentValue: "mine", options: [{ value: "mine" }, { value: "fake" }, { value: "other" }] });
    expect(model).toMatchObject({ currentValue: "huge", options: [{ value: "default" }, { value: "small" }, { value: "large" }, { value: "huge" }] });
  });

  it("leaves out what the backend has not", async () => {
    const bare = { ...FAKE_CAPABILITIES, takesModel: false, accessLevels: [], defaultAccess: null };
    expect(toConfigOptions(await sources({}, bare)).map((option) => option.id)).toEqual(["backend"]);
    expect(toModes({ settings, capabilities: bare })).toBeNull();
  });
});

describe("toModes", () => {
  it("gives the access levels of the backend", () => {
    expect(toModes({ settings, capabilities: FAKE_CAPABILITIES })).toMatchObject({ currentModeId: "read-only", availableModes: [{ id: "read-only", name: "Read only" }, { id: "full", name: "Full access" }] });
  });
});

describe("parseConfigChange", () => {
  it.each([
    ["backend", "codex", { backend: "codex" }],
    ["model", "anything", { model: "anything" }],
    ["model", "default", { model: null }],
    ["access", "full", { access: "full" }],
  ])("reads %s %s", (id, value, expected) => {
    expect(parseConfigChange(id, value)).toEqual(expected);
  });

  it.each<[string, string | boolean, RegExp]>([
    ["colour", "red", /there is no option "colour"; there are backend, model, access/],
    ["constructor", "red", /there is no option "constructor"/],
    ["__proto__", "red", /there is no option "__proto__"/],
    ["model", true, /takes the name of a value, got true/],
    ["model", "", /takes the name of a value, got ""/],
    ["access", "everything", /"everything" is no access level/],
  ])("refuses %s %s", (id, value, message) => {
    expect(() => parseConfigChange(id, value)).toThrow(message);
  });
});
