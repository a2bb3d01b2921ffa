import { useSyncExternalStore } from "react";
import type { Store } from "./store.js";

/** The value of a store as it is now; the component is drawn again when it changes. */
export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore((listener) => store.subscribe(listener), () => store.get());
}
