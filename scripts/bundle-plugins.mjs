import { createRequire } from "node:module";
import { minify } from "rolldown/utils";

/** Modules of Node that are dear to load and that most runs import without ever using them. */
const LAZY = ["node:crypto", "node:fs/promises", "node:v8"];

const LAZY_PREFIX = "\0lazy:";

/**
 * Loads the modules above when one of their functions is first called, not when they are imported: `readFile` of
 * `node:fs/promises` becomes a function that loads the module and passes the call on.
 * Only functions and the default export are offered; importing anything else of these modules fails the build.
 */
export function lazyBuiltins() {
  return {
    name: "lazy-builtins",
    resolveId(source, importer, { kind }) {
      const replaced = LAZY.includes(source) && kind === "import-statement" && !importer?.startsWith(LAZY_PREFIX);
      return replaced ? `${LAZY_PREFIX}${source}` : null;
    },
    load(id) {
      return id.startsWith(LAZY_PREFIX) ? renderLazyModule(id.slice(LAZY_PREFIX.length)) : null;
    },
  };
}

function renderLazyModule(name) {
  const exported = Object.entries(createRequire(import.meta.url)(name));
  const functions = exported.filter(([, value]) => typeof value === "function" && !/^[A-Z]/.test(value.name)).map(([key]) => key);
  const module = `require(${JSON.stringify(name)})`;
  return [
    ...functions.map((key) => `export const ${key} = (...args) => ${module}.${key}(...args);`),
    `export default new Proxy({}, { get: (_, key) => ${module}[key] });`,
  ].join("\n");
}

/** commander would start programs of its own for subcommands that are files. There are none here. */
const COMMANDER_REQUIRE = "const childProcess = require('node:child_process');";

/** Spares `--version` and `--help` a module of Node that only such subcommands use: it is loaded when it is first touched. */
export function lazyCommander() {
  return {
    name: "lazy-commander",
    transform(code, id) {
      if (!/[\\/]commander[\\/]lib[\\/]command\.js$/.test(id)) return null;
      if (!code.includes(COMMANDER_REQUIRE)) throw new Error(`${id} does not say "${COMMANDER_REQUIRE}" any more`);
      const lazy = "const childProcess = new Proxy({}, { get: (_, name) => require('node:child_process')[name] });";
      return { code: code.replace(COMMANDER_REQUIRE, lazy), map: null };
    },
  };
}

const STANDARD_STREAMS = "export const STANDARD_STREAMS = [process.stdin, process.stdout, process.stderr];";
const IS_STANDARD_STREAM = "export const isStandardStream = stream => STANDARD_STREAMS.includes(stream);";

/**
 * execa makes the three standard streams of this process when it is loaded, though a child that inherits none of them
 * needs none. They are dear, and standard input is not ours: so they are made when one is asked for by its number.
 */
export function lazyExeca() {
  return {
    name: "lazy-execa",
    transform(code, id) {
      if (!/[\\/]execa[\\/]lib[\\/]utils[\\/]standard-stream\.js$/.test(id)) return null;
      for (const line of [STANDARD_STREAMS, IS_STANDARD_STREAM]) if (!code.includes(line)) throw new Error(`${id} does not say "${line}" any more`);
      const streams = "[process.stdin, process.stdout, process.stderr]";
      const lazy = `export const STANDARD_STREAMS = new Proxy([], { get: (_, key) => Reflect.get(${streams}, key) });`;
      // Node gives each of the three its number.
      const isStandard = "export const isStandardStream = stream => stream?.fd <= 2 && STANDARD_STREAMS.includes(stream);";
      return { code: code.replace(STANDARD_STREAMS, lazy).replace(IS_STANDARD_STREAM, isStandard), map: null };
    },
  };
}

/** What Ink asks its surroundings for, with the answers that hold in a terminal that a person looks at. */
const INK_QUESTIONS = [
  // In CI it would draw nothing until the end. Whether there is a terminal was found out before.
  { file: /[\\/]is-in-ci[\\/]index\.js$/, code: "export default false;" },
  // With DEV=true in the environment it would look for a debugger of React.
  { file: /[\\/]ink[\\/]build[\\/]utils\.js$/, code: "export const isDev = () => false;" },
  { file: /[\\/]ink[\\/]build[\\/]devtools\.js$/, code: "export {};" },
];

/** Ink without what it would do otherwise in CI or with a debugger: neither belongs to a chat. */
export function plainInk() {
  return {
    name: "plain-ink",
    load(id) {
      const question = INK_QUESTIONS.find(({ file }) => file.test(id));
      return question === undefined ? null : question.code;
    },
    buildEnd() {
      const files = [...this.getModuleIds()];
      for (const { file } of INK_QUESTIONS) if (!files.some((id) => file.test(id))) throw new Error(`Ink has no module like ${file} any more`);
    },
  };
}

/**
 * Minifies, since less text is compiled sooner. Our own functions and classes keep their names, so that a stack in a bug
 * report can be read; those of libraries do not.
 */
export function minifyChunks() {
  return {
    name: "minify-chunks",
    async generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type === "chunk") chunk.code = await minifyCode(chunk);
      }
    },
  };
}

async function minifyCode({ name, fileName, code: source }) {
  const mangle = { toplevel: true, keepNames: !name.startsWith("lib-") };
  const { code, errors } = await minify(fileName, source, { compress: true, mangle, codegen: { removeWhitespace: true, legalComments: "none" } });
  if (errors.length > 0) throw new Error(`${fileName}: ${errors[0].message}`);
  return code;
}

/**
 * Finds the modules that every run needs: all that the given ones import at once, libraries aside. In a chunk of their own
 * they are one file to load instead of some thirty.
 */
export function collectRunModules(roots) {
  const found = new Set();
  return {
    has: (id) => found.has(id),
    plugin: {
      name: "collect-run-modules",
      buildEnd() {
        const waiting = roots.slice();
        for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
          if (found.has(id) || id.includes("node_modules")) continue;
          const info = this.getModuleInfo(id);
          if (info === null || info.isExternal) continue;
          found.add(id);
          waiting.push(...info.importedIds);
        }
      },
    },
  };
}
