import { listTrees, type CompletionArgument, type CompletionOption, type CompletionTree, type CompletionValue } from "./completion-tree.js";

/** A completion script for zsh: a function of `_arguments` for each command. It can be sourced, or stand as a file in `fpath`. */
export function renderZsh(tree: CompletionTree): string {
  const main = functionName(tree.name, tree);
  return `#compdef ${tree.name}
# Completion of ${tree.name} for zsh. To use it: ${tree.name} completion zsh > "\${fpath[1]}/${main}"
# or, after compinit: source <(${tree.name} completion zsh)

${listTrees(tree).map((each) => renderFunction(tree.name, each)).join("\n")}
if [ "$funcstack[1]" = "${main}" ]; then
  ${main} "$@"
else
  compdef ${main} ${tree.name}
fi
`;
}

function renderFunction(program: string, tree: CompletionTree): string {
  const specs = [...tree.options.map(renderOption), ...(tree.commands.length > 0 ? COMMAND_SPECS : tree.args.map(renderArgument))];
  const lines = ["_arguments -C", ...specs].join(" \\\n    ");
  return `${functionName(program, tree)}() {\n  local curcontext="$curcontext" state line\n  local -A opt_args\n  ${lines}\n${renderCommands(program, tree)}}\n`;
}

function functionName(program: string, { path }: CompletionTree): string {
  return `_${[program, ...path].join("_")}`;
}

/** Everything after the command's name is completed by the command's own function. */
const COMMAND_SPECS = ["'1: :->command'", "'*:: :->rest'"];

function renderCommands(program: string, { commands }: CompletionTree): string {
  if (commands.length === 0) return "";
  return `  case $state in
    command)
      local -a commands=(
${commands.map(({ name, description }) => `        ${quote(`${name}:${description}`)}`).join("\n")}
      )
      _describe -t commands command commands
      ;;
    rest)
      case $words[1] in
${commands.map((child) => `        ${child.name}) ${functionName(program, child)} ;;`).join("\n")}
      esac
      ;;
  esac
`;
}

/** `'(-m --model)'{-m+,--model=}'[description]:name:(a b)'` */
function renderOption({ names, description, value, isRepeatable }: CompletionOption): string {
  const exclusion = isRepeatable ? "'*'" : `'(${names.join(" ")})'`;
  const forms = names.map((name) => (value === null ? name : name.startsWith("--") ? `${name}=` : `${name}+`));
  const flags = forms.length === 1 ? (forms[0] ?? "") : `{${forms.join(",")}}`;
  return `${exclusion}${flags}${quote(`[${escapeSpec(description)}]${value === null ? "" : `:${escapeSpec(value.name)}:${renderValue(value)}`}`)}`;
}

function renderArgument({ value, isVariadic }: CompletionArgument): string {
  return quote(`${isVariadic ? "*" : ""}:${escapeSpec(value.name)}:${renderValue(value)}`);
}

/** A blank: something has to stand there, and nothing can be offered. */
function renderValue(value: CompletionValue): string {
  if (value.kind === "words") return `(${value.words.join(" ")})`;
  return { files: "_files", folders: "_files -/", free: " " }[value.kind];
}

function escapeSpec(text: string): string {
  return text.replaceAll(/[\\[\]:]/g, "\\$&");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
