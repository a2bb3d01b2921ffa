/** Resolves when the work does, whatever became of it, or when nobody waits for it any more. */
export async function untilAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const settled = work.then(ignore, ignore);
  if (signal.aborted) return;
  let stop = ignore;
  const aborted = new Promise<void>((resolve) => {
    stop = resolve;
    signal.addEventListener("abort", stop, { once: true });
  });
  await Promise.race([settled, aborted]);
  signal.removeEventListener("abort", stop);
}

function ignore(): void {}
