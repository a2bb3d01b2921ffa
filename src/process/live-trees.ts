import type { ProcessTree } from "./kill-tree.js";

type LiveTree = Pick<ProcessTree, "kill">;

const live = new Set<LiveTree>();

/** Remembers a tree as long as `until` is pending. */
export function trackTree<T>(tree: LiveTree, until: Promise<T>): Promise<T> {
  live.add(tree);
  return until.finally(() => live.delete(tree));
}

/** KILLs all that this process has started and not yet seen end. Synchronous: for a process that ends at once. */
export function killLiveTrees(): void {
  for (const tree of live) tree.kill();
}
