/**
 * The report as Markdown: versions, counts for each backend, and the first lines of what failed.
 * `backends`: `{ id, pinned, latest, problem }`, `problem` where the latest version could not be installed;
 * `tests`: `{ name, file, status, message }`; `faults`: sentences about suites that did not run to their end.
 */
export function describeDrift({ backends, tests, faults }) {
  const failed = tests.filter(({ status }) => status === "failed");
  return [
    "# Drift of the backends",
    "",
    hasDrifted({ backends, tests, faults }) ? "**Something is not as it was with the pinned versions.**" : "Nothing drifted.",
    "",
    "| backend | pinned | latest | passed | failed |",
    "| --- | --- | --- | --- | --- |",
    ...backends.map((backend) => toRow(backend, tests)),
    "",
    ...backends.flatMap(({ id, problem }) => (problem === undefined ? [] : [`- ${id} was not tested: ${problem}`])),
    ...faults.map((fault) => `- ${fault}`),
    ...(failed.length === 0 ? [] : ["", "## Failed cases", "", "A case counts to each backend that its title names. One that also fails in `npm run test:real` is no drift.", ""]),
    ...failed.flatMap(describeFailure),
    "",
  ].join("\n");
}

/** A run without a single passed test proves nothing, and counts as drift. */
export function hasDrifted({ backends, tests, faults }) {
  return (
    faults.length > 0 ||
    backends.some(({ problem }) => problem !== undefined) ||
    tests.some(({ status }) => status === "failed") ||
    !tests.some(({ status }) => status === "passed")
  );
}

function toRow({ id, pinned, latest }, tests) {
  const own = tests.filter(({ name }) => new RegExp(`\\b${id}\\b`, "u").test(name));
  const count = (wanted) => own.filter(({ status }) => status === wanted).length;
  return `| ${id} | ${pinned} | ${latest ?? "?"} | ${count("passed")} | ${count("failed")} |`;
}

function describeFailure({ name, file, message }) {
  const lines = message.replace(/\u001b\[[\d;]*m/gu, "").split("\n").filter((line) => line.trim() !== "" && !/^\s+at /u.test(line));
  return [`### ${name}`, "", `${file}`, "", ...lines.slice(0, 8).map((line) => `    ${line.slice(0, 300)}`), ""];
}
