import { describe, expect, it } from "vitest";
import { describeCall } from "../../../src/chat/describe-call.js";

describe("a tool call in a few words", () => {
  it.each([
    { name: "a file below the directory", title: "Read", rawInput: { file_path: "/project/src/x.ts" }, told: "Read src/x.ts" },
    { name: "a file elsewhere", title: "Read", rawInput: { file_path: "/projects/x.ts" }, told: "Read /projects/x.ts" },
    { name: "a command before its description", title: "Bash", rawInput: { description: "List", command: "ls -l" }, told: "Bash ls -l" },
    { name: "a command in words", title: "shell", rawInput: { command: ["ls", "-l"] }, told: "shell ls -l" },
    { name: "a title that says it", title: "ls -l", rawInput: { command: "ls -l" }, told: "ls -l" },
    { name: "an input that says nothing", title: "Think", rawInput: { depth: 3, path: " " }, told: "Think" },
    { name: "a text", title: "Patch", rawInput: "*** Begin", told: "Patch" },
    { name: "nothing", title: "Think", rawInput: null, told: "Think" },
  ])("is told of $name", ({ title, rawInput, told }) => {
    expect(describeCall(title, rawInput, "/project")).toBe(told);
  });
});
