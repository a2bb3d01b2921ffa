/**
 * The id of a run: unique among the runs of a machine, no secret. It marks the processes that belong to the run.
 * Made without `node:crypto`, which takes a tenth of Node's own start to load.
 */
export function createRunId(): string {
  const [first, second, third, fourth] = [randomWord(), randomWord(), randomWord(), randomWord()];
  return `${first}-${second.slice(0, 4)}-4${second.slice(5)}-a${third.slice(1, 4)}-${third.slice(4)}${fourth}`;
}

/** 32 random bits as eight hexadecimal digits. */
function randomWord(): string {
  return Math.floor(Math.random() * 2 ** 32).toString(16).padStart(8, "0");
}
