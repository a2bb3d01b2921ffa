import { listTrees, type CompletionArgument, type CompletionOption, type CompletionTree, type CompletionValue } from "./completion-tree.js";

/** A completion script for fish 3 and newer: one line for each thing that can be offered, with the place where it can. */
export function renderFish(tree: CompletionTree): string {
  const trees = listTrees(tree);
  const at = `__${tree.name}_at`;
  return `# Completion of ${tree.name} for fish. To use it: ${tree.name} completion fish > ~/.config/fish/completions/${tree.name}.fish

# True where the words before the cursor lead to a command ("" is the program itself), with so many arguments.
function ${at} --argument-names wanted count
    set -l path ''
    set -l args 0
    set -l skip 0
    set -l words (commandline -opc)
    for word in $words[2..-1]
        if test $skip -eq 1
            set skip 0
            continue
        end
        switch "$path:$word"
            case ${listValueOptionKeys(trees).map(quote).join(" ")}
                set skip 1
${renderCommandCases(trees)}
            case '*:-*'
            case '*'
                set args (math $args + 1)
        end
    end
    test "$path" = "$wanted"; and begin
        test -z "$count"; or test "$count" = "$args"
    end
end

complete -c ${tree.name} -f
${trees.flatMap((each) => renderTree(each, tree.name, at)).join("\n")}
`;
}

function listValueOptionKeys(trees: readonly CompletionTree[]): readonly string[] {
  return trees.flatMap(({ path, options }) =>
    options.filter(({ value }) => value !== null).flatMap(({ names }) => names.map((name) => `${path.join(" ")}:${name}`)),
  );
}

function renderCommandCases(trees: readonly CompletionTree[]): string {
  const commands = trees.flatMap((tree) => tree.commands.map((child) => ({ above: tree.path.join(" "), child })));
  return commands
    .map(({ above, child }) => `            case ${quote(`${above}:${child.name}`)}\n                set path ${quote(child.path.join(" "))}`)
    .join("\n");
}

function renderTree(tree: CompletionTree, program: string, at: string): readonly string[] {
  const path = quote(tree.path.join(" "));
  const start = (condition: string): string => `complete -c ${program} -n ${quote(condition)}`;
  return [
    ...tree.commands.map(({ name, description }) => `${start(`${at} ${path} 0`)} -a ${name} -d ${quote(description)}`),
    ...tree.args.flatMap((argument, index) => renderArgument(argument, start(`${at} ${path}${argument.isVariadic ? "" : ` ${index}`}`))),
    ...tree.options.map((option) => `${start(`${at} ${path}`)} ${renderOption(option)}`),
  ];
}

function renderOption({ names, description, value }: CompletionOption): string {
  const flags = names.map((name) => (name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  return [...flags, ...(value === null ? [] : [`-r ${renderValue(value)}`]), `-d ${quote(description)}`].join(" ");
}

function renderArgument({ value }: CompletionArgument, start: string): readonly string[] {
  return value.kind === "free" ? [] : [`${start} ${renderValue(value)}`];
}

function renderValue(value: CompletionValue): string {
  if (value.kind === "words") return `-f -a ${quote(value.words.join(" "))}`;
  return { files: "-F", folders: "-f -a '(__fish_complete_directories)'", free: "-f" }[value.kind];
}

/** Inside of single quotes fish knows two escapes. */
function quote(text: string): string {
  return `'${text.replaceAll(/[\\']/g, "\\$&")}'`;
}
