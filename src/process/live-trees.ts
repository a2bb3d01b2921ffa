import type { ProcessTree } from "./process-tree.js";

type LiveTree = Pick<ProcessTree, "kill">;

const live = new Set<LiveTree>();

/** Remembers a tree as long as `until` is pending. */
export function trackTree<T>(tree: LiveTree, until: Promise<T>): Promise<T> {
  // An entry of its own: a tree that is still being ended stays remembered when its root has exited.
  const entry: LiveTree = { kill: () => tree.kill() };
  live.add(entry);
  return until.finally(() => live.delete(entry));
}

/** KILLs all that this process has started and not yet seen end. Synchronous: for a process that ends at once. */
export function killLiveTrees(): void {
  for (const tree of live) tree.kill();
}
