import type { ContextWindowTraits, Path } from "../adapters/traits.js";
import type { ContextUsage } from "../events/schema.js";
import { compileCondition } from "./conditions.js";
import { compilePath, valueAt, valuesAt, type JsonRecord, type PathCompiler } from "./paths.js";

export interface ContextGauge {
  /**
   * Notes what a record tells. @param models the names of the models that the output has told by now
   * @returns true when it told a figure and both are known
   */
  add(record: JsonRecord, models: ReadonlySet<string>): boolean;
  /** A line was lost or output was cut: what was told before may be old. */
  forget(): void;
  /** As it was told last; null unless both figures are known. */
  readonly context: ContextUsage | null;
}

/** Stands in a path for the name of a model. */
const MODEL_SEGMENT = "{model}";

/** Keeps how full a model's context window is, by the vendor's own figures. A figure that cannot be read is not known. */
export function createContextGauge(traits: ContextWindowTraits | undefined, toPathReader: PathCompiler = compilePath): ContextGauge {
  if (traits === undefined) return NO_GAUGE;
  const carriesUsed = compileCondition(traits.usedWhen, toPathReader);
  const carriesSize = compileCondition(traits.sizeWhen, toPathReader);
  let usedTokens: number | undefined;
  let sizeTokens: number | undefined;
  const read = (): ContextUsage | null => (usedTokens === undefined || sizeTokens === undefined ? null : { usedTokens, sizeTokens });

  return {
    add(record, models) {
      const [tellsUsed, tellsSize] = [carriesUsed(record), carriesSize(record)];
      if (tellsUsed) usedTokens = readUsed(record, traits.usedPaths);
      if (tellsSize) sizeTokens = readSize(record, traits.sizePath, models);
      return (tellsUsed || tellsSize) && read() !== null;
    },
    forget() {
      usedTokens = undefined;
      sizeTokens = undefined;
    },
    get context() {
      return read();
    },
  };
}

const NO_GAUGE: ContextGauge = { add: () => false, forget: () => undefined, context: null };

/** A sum from which a term is missing is not known. */
function readUsed(record: JsonRecord, paths: readonly Path[]): number | undefined {
  const terms = paths.map((path) => valueAt(record, path));
  return terms.every(isTokenCount) ? terms.reduce((sum, term) => sum + term, 0) : undefined;
}

/** Models of different sizes leave it open which window is meant. */
function readSize(record: JsonRecord, path: Path, models: ReadonlySet<string>): number | undefined {
  const paths = path.includes(MODEL_SEGMENT) ? [...models].map((model) => path.map((segment) => (segment === MODEL_SEGMENT ? model : segment))) : [path];
  const sizes = new Set(paths.flatMap((each) => valuesAt(record, each)));
  const [size] = sizes;
  return sizes.size === 1 && isTokenCount(size) && size > 0 ? size : undefined;
}

function isTokenCount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
