import { describe, expect, it } from "vitest";
import { killLiveTrees, trackTree } from "../../../src/process/live-trees.js";

describe("the trees that a second signal ends", () => {
  it("stay remembered until the last thing that is waited for is over", async () => {
    let kills = 0;
    const tree = { kill: () => void (kills += 1) };
    let finishEnding = (): void => undefined;
    const ending = trackTree(tree, new Promise<void>((resolve) => (finishEnding = resolve)));
    await trackTree(tree, Promise.resolve("the root has exited"));
    killLiveTrees();
    expect(kills).toBe(1);
    finishEnding();
    await ending;
    killLiveTrees();
    expect(kills).toBe(1);
  });
});
