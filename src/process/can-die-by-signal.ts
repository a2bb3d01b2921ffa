/**
 * Whether a process that sends itself a signal without a handler dies by it. As process 1 of a container the system
 * ignores it, and Windows knows no signals: Node ends the process there with a code of its own.
 */
export function canDieBySignal({ pid, platform }: { readonly pid: number; readonly platform: NodeJS.Platform }): boolean {
  return pid !== 1 && platform !== "win32";
}
