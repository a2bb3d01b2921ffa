import { loadConfigWithSources } from "../config/loader.js";
import { EXIT_TABLE, SUCCESS_EXIT_CODE } from "../exit-codes.js";
import { findHome } from "../environment.js";
import { wantsColor } from "../render/style.js";
import { toBackendsText } from "./backends-table.js";
import { inspectBackends, isAnyRealAvailable } from "./inspect-backends.js";
import type { CommandIo } from "../command-io.js";

/**
 * `jlgcli backends`: every known backend, its status, and what to do next. Gives 0 where a run can be made on one of
 * them, else 2; simulated ones do not count.
 * @throws JlgcliError `CONFIG_INVALID`
 */
export async function runBackendsCommand(flags: { readonly json?: boolean }, io: CommandIo): Promise<number> {
  const { config, warnings } = await loadConfigWithSources({ cwd: io.cwd, env: io.env });
  const env = { ...io.env, ...config.env };
  const inspection = await inspectBackends({ config, env, cwd: io.cwd });
  const isAvailable = isAnyRealAvailable(inspection.backends);
  if (flags.json === true) io.stdout(`${JSON.stringify(inspection.backends, null, 2)}\n`);
  else io.stdout(toBackendsText(inspection.backends, { home: findHome(env), isTty: io.stdoutIsTty, color: wantsColor(io.stdoutIsTty, io.env) }));
  const notes = [
    ...warnings.map((warning) => warning.message),
    ...inspection.warnings,
    ...inspection.backends.flatMap((backend) => backend.warnings),
    ...(isAvailable ? [] : [NONE_AVAILABLE]),
  ];
  for (const note of notes) io.stderr(`jlgcli: ${note}\n`);
  await io.drained?.();
  return isAvailable ? SUCCESS_EXIT_CODE : EXIT_TABLE["backend-missing"].code;
}

const NONE_AVAILABLE = "no backend that asks a model can be used yet; this one works without an account: jlgcli run --backend replay hello";
