/** Error codes of JSON-RPC and of the protocol (agentclientprotocol.com/protocol/v1/schema, `ErrorCode`). */
export const ERROR_CODES = {
  invalidRequest: -32600,
  invalidParams: -32602,
  internal: -32603,
  authRequired: -32000,
  notFound: -32002,
} as const;
