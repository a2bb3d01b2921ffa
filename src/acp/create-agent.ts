import { agent, methods, type AgentApp, type AgentConnection, type AgentContext, type ClientCapabilities, type Stream } from "@agentclientprotocol/sdk";
import { describeAgent } from "./agent-capabilities.js";
import type { AcpSession, SessionOptions } from "./session.js";
import type { AcpSessions } from "./sessions.js";
import { toRequestError } from "./to-request-error.js";
import { watchPrompts, type OpenPrompts } from "./watch-prompts.js";

export interface AgentOptions {
  readonly sessions: AcpSessions;
  /** Of this program. */
  readonly version: string;
  /** Takes one line of a log. */
  readonly log: (line: string) => void;
}

/** Begins to answer a client. Facts: agentclientprotocol.com/protocol/v1, SDK 2.4. */
export function connectAgent(stream: Stream, options: AgentOptions): AgentConnection {
  const watched = watchPrompts(stream);
  return createAgent(options, watched.prompts).connect(watched.stream);
}

/** Which method is answered by what. */
function createAgent({ sessions, version, log }: AgentOptions, prompts: OpenPrompts): AgentApp {
  let client: ClientCapabilities = {};
  const showsNotices = (): boolean => (client.session?.notices ?? null) !== null;
  const answer = <T>(method: string, work: () => Promise<T>): Promise<T> => answerRequest(method, work, log);
  const create = (params: Parameters<AcpSessions["create"]>[0], context: AgentContext): Promise<AcpSession> => sessions.create(params, context, showsNotices());
  const load = (params: Parameters<AcpSessions["load"]>[1] & { readonly sessionId: string }, context: AgentContext): Promise<AcpSession> =>
    sessions.load(params.sessionId, params, context, showsNotices());
  const { session } = methods.agent;

  return agent({ name: "jlgcli" })
    .onRequest(methods.agent.initialize, ({ params }) => {
      client = params.clientCapabilities ?? {};
      log(`initialize: ${[params.clientInfo?.name ?? "a client without a name", params.clientInfo?.version].filter(Boolean).join(" ")}, protocol ${params.protocolVersion}`);
      return describeAgent(version);
    })
    .onRequest(session.prompt, ({ params, signal, requestId }) =>
      answer(`session/prompt ${params.sessionId}`, async () => sessions.get(params.sessionId).prompt(params.prompt, AbortSignal.any([signal, prompts.signalOf(requestId)]))),
    )
    .onRequest(session.new, ({ params, client: context }) =>
      answer("session/new", async () => {
        const opened = await create(params, context);
        return { sessionId: opened.conversation.id, ...(await open(opened)) };
      }),
    )
    .onRequest(session.load, ({ params, client: context }) =>
      answer(`session/load ${params.sessionId}`, async () => {
        const opened = await load(params, context);
        await opened.replay();
        return open(opened);
      }),
    )
    .onRequest(session.resume, ({ params, client: context }) => answer(`session/resume ${params.sessionId}`, async () => open(await load(params, context))))
    .onRequest(session.list, ({ params }) => answer("session/list", async () => ({ sessions: sessions.list(params.cwd) })))
    .onRequest(session.close, ({ params }) => answer(`session/close ${params.sessionId}`, () => sessions.close(params.sessionId)))
    .onRequest(session.delete, ({ params }) => answer(`session/delete ${params.sessionId}`, () => sessions.remove(params.sessionId)))
    .onRequest(session.setConfigOption, ({ params }) =>
      answer(`session/set_config_option ${params.sessionId}`, async () => ({ configOptions: await sessions.get(params.sessionId).changeOption(params.configId, params.value) })),
    )
    .onRequest(session.setMode, ({ params }) => answer(`session/set_mode ${params.sessionId}`, async () => sessions.get(params.sessionId).changeMode(params.modeId)))
    // has aborted the signal of its prompts already
    .onNotification(session.cancel, ({ params }) => log(`session/cancel ${params.sessionId}`));
}

async function open(session: AcpSession): Promise<SessionOptions> {
  const options = await session.describeOptions();
  session.lookForCommands();
  return options;
}

async function answerRequest<T>(method: string, work: () => Promise<T>, log: (line: string) => void): Promise<T> {
  log(method);
  try {
    return await work();
  } catch (error) {
    const requestError = toRequestError(error);
    log(`${method}: ${requestError.code} ${requestError.message}`);
    throw requestError;
  }
}
