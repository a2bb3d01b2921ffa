import { PROTOCOL_VERSION, type InitializeResponse } from "@agentclientprotocol/sdk";

/**
 * What this agent can do, and the one version of the protocol that it speaks, whichever was asked for: a client that
 * cannot go down to it is to leave.
 * No way to sign in: each backend has its own, which an error of a turn names.
 */
export function describeAgent(version: string): InitializeResponse {
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentCapabilities: {
      loadSession: true,
      // an image is refused where the backend of the moment takes none
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      // what the backend of the moment cannot take is left out, with a warning
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
    },
    authMethods: [],
    agentInfo: { name: "jlgcli", title: "jlgcli", version },
  };
}
