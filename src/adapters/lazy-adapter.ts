import type { Adapter, AdapterRunOnceArgs } from "./types.js";

/** An adapter whose record is read only when it is used, and then once for each use. */
export function createLazyAdapter(
  id: string,
  simulated: boolean,
  load: (args: Pick<AdapterRunOnceArgs, "cassette">) => Promise<Adapter>,
): Adapter {
  return {
    id,
    simulated,
    isAvailable: async (options) => (await load({})).isAvailable(options),
    runOnce: async (args) => (await load(args)).runOnce(args),
    tellsCost: async () => (await (await load({})).tellsCost?.()) ?? true,
    describeInvocation: async (args) => {
      const adapter = await load(args);
      if (adapter.describeInvocation === undefined) throw new TypeError(`the adapter of '${id}' cannot describe a run`);
      return adapter.describeInvocation(args);
    },
  };
}
