import { expect, test } from "vitest";
import { toTaskkillCommand } from "../../../src/process/windows-tree.js";

test.each([
  ["asks first", { isForced: false, systemRoot: "D:\\Windows" }, "D:\\Windows\\System32\\taskkill.exe", ["/PID", "4242", "/T"]],
  ["then forces", { isForced: true, systemRoot: "D:\\Windows" }, "D:\\Windows\\System32\\taskkill.exe", ["/PID", "4242", "/T", "/F"]],
  ["knows where Windows usually is", { isForced: true, systemRoot: undefined }, "C:\\Windows\\System32\\taskkill.exe", ["/PID", "4242", "/T", "/F"]],
])("taskkill %s", (_title, options, file, args) => {
  expect(toTaskkillCommand(4242, options)).toEqual({ file, args });
});
