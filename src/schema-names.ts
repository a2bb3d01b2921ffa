/** What `jlgcli schema` prints. */
export const SCHEMA_NAMES = ["events", "result", "config", "backend"] as const;
export type SchemaName = (typeof SCHEMA_NAMES)[number];
