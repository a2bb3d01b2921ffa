import type { Command, Option } from "commander";

/** The options that stood on a command line, as it would take them again: `--flag` or `--flag=value`. Defaults are left out. */
export function listGivenOptions(command: Command): readonly string[] {
  return command.options.filter((option) => command.getOptionValueSource(option.attributeName()) === "cli").flatMap((option) => toArgs(option, command.getOptionValue(option.attributeName())));
}

function toArgs(option: Option, value: unknown): readonly string[] {
  const flag = option.long ?? option.short ?? "";
  if (Array.isArray(value)) return value.map((item) => `${flag}=${String(item)}`);
  return typeof value === "string" ? [`${flag}=${value}`] : [flag];
}
