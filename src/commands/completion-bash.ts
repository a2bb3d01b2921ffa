import { listTrees, type CompletionTree, type CompletionValue } from "./completion-tree.js";

/**
 * A completion script for bash 3.2 (the one of macOS) and newer, without the package bash-completion.
 * It reads the words before the cursor to find the command, then offers what may follow.
 */
export function renderBash(tree: CompletionTree): string {
  const trees = listTrees(tree);
  return `# Completion of ${tree.name} for bash. To use it: ${tree.name} completion bash >> ~/.bashrc

_${tree.name}() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" path="" option="" args=0 only_args="" prefix="" words="" kind="" word i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    if [[ -n $option ]]; then
      # bash makes three words of --option=value
      if [[ $word != "=" ]]; then option=""; fi
      continue
    fi
    if [[ -n $only_args ]]; then
      args=$((args + 1))
      continue
    fi
    case "$path:$word" in
      *:--) only_args=1 ;;
${renderCases(listValueOptionKeys(trees), 'option="$word"')}
${renderCommandCases(trees)}
      *:-?*) ;;
      *) args=$((args + 1)) ;;
    esac
  done
  if [[ $cur == "=" && -n $option ]]; then cur=""; fi
  # Where COMP_WORDBREAKS has no '=', it is one word.
  if [[ -z $option && -z $only_args && $cur == --*=* ]]; then
    option="\${cur%%=*}"
    prefix="$option="
    cur="\${cur#*=}"
  fi
  if [[ -n $option ]]; then
    case "$path:$option" in
${renderOptionValueCases(trees)}
    esac
  elif [[ -z $only_args && $cur == -* ]]; then
    case "$path" in
${renderOptionCases(trees)}
    esac
  else
    case "$path:$args" in
${renderArgumentCases(trees)}
    esac
    if [[ -z $words$kind$only_args ]]; then
      case "$path" in
${renderOptionCases(trees).replaceAll(/^/gm, "  ")}
      esac
    fi
  fi
  case "$kind" in
    files | folders)
      compopt -o filenames 2> /dev/null
      if [[ $kind == files ]]; then kind=-f; else kind=-d; fi
      while IFS= read -r word; do COMPREPLY+=("$prefix$word"); done < <(compgen "$kind" -- "$cur")
      ;;
    *)
      while IFS= read -r word; do COMPREPLY+=("$prefix$word"); done < <(compgen -W "$words" -- "$cur")
      ;;
  esac
}

complete -F _${tree.name} ${tree.name}
`;
}

function renderCases(keys: readonly string[], action: string): string {
  return `      ${keys.map((key) => JSON.stringify(key)).join(" | ")}) ${action} ;;`;
}

function listValueOptionKeys(trees: readonly CompletionTree[]): readonly string[] {
  return trees.flatMap(({ path, options }) =>
    options.filter(({ value }) => value !== null).flatMap(({ names }) => names.map((name) => `${path.join(" ")}:${name}`)),
  );
}

function renderCommandCases(trees: readonly CompletionTree[]): string {
  const commands = trees.flatMap((tree) => tree.commands.map((child) => ({ above: tree.path.join(" "), child })));
  return commands.map(({ above, child }) => `      "${above}:${child.name}") path="${child.path.join(" ")}" ;;`).join("\n");
}

function renderOptionValueCases(trees: readonly CompletionTree[]): string {
  return trees
    .flatMap(({ path, options }) =>
      options.flatMap(({ names, value }) => {
        const action = value === null ? "" : renderValue(value);
        return action === "" ? [] : [`      ${names.map((name) => `"${path.join(" ")}:${name}"`).join(" | ")}) ${action} ;;`];
      }),
    )
    .join("\n");
}

function renderOptionCases(trees: readonly CompletionTree[]): string {
  return trees.map(({ path, options }) => `      "${path.join(" ")}") words="${options.flatMap(({ names }) => names).join(" ")}" ;;`).join("\n");
}

function renderArgumentCases(trees: readonly CompletionTree[]): string {
  return trees
    .flatMap(({ path, commands, args }) => {
      const key = path.join(" ");
      if (commands.length > 0) return [`      "${key}:0") words="${commands.map(({ name }) => name).join(" ")}" ;;`];
      return args.flatMap(({ value, isVariadic }, index) => {
        const action = renderValue(value);
        return action === "" ? [] : [`      "${key}:"${isVariadic ? "*" : index}) ${action} ;;`];
      });
    })
    .join("\n");
}

function renderValue(value: CompletionValue): string {
  if (value.kind === "words") return `words="${value.words.join(" ")}"`;
  return value.kind === "free" ? "" : `kind=${value.kind}`;
}
