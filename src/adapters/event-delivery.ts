import { describeError } from "../errors.js";
import type { RunEvent } from "../events/schema.js";
import type { RunRequest } from "./traits.js";

/** Hands a run's events to the caller, one after the other, however they come in. */
export interface EventDelivery {
  /** Resolves when the caller has taken these and all earlier ones. */
  deliver(events: readonly RunEvent[]): Promise<void>;
  /** Gives the answer, once. */
  answer(text: string | undefined): Promise<void>;
  /** From now on nothing is delivered: the run is over. */
  close(): void;
  readonly warnings: readonly string[];
}

/** A caller's throw never changes the result: it becomes one warning. */
export function createEventDelivery({ onEvent, onAnswer }: Pick<RunRequest, "onEvent" | "onAnswer">): EventDelivery {
  const warnings: string[] = [];
  let queue: Promise<void> = Promise.resolve();
  let isClosed = false;
  let hasAnswered = false;
  const call = async (callback: () => void | Promise<void>): Promise<void> => {
    if (isClosed) return;
    try {
      await callback();
    } catch (error) {
      if (warnings.length === 0) warnings.push(`an event callback failed: ${describeError(error)}`);
    }
  };
  const enqueue = (step: () => Promise<void>): Promise<void> => (queue = queue.then(step));

  return {
    deliver: (events) =>
      onEvent === undefined || events.length === 0
        ? queue
        : enqueue(async () => {
            for (const event of events) await call(() => onEvent(event));
          }),
    answer: (text) => {
      if (text === undefined || onAnswer === undefined || hasAnswered) return queue;
      hasAnswered = true;
      return enqueue(() => call(() => onAnswer(text)));
    },
    close: () => {
      isClosed = true;
    },
    warnings,
  };
}
