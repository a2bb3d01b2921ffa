import { EventEmitter } from "node:events";

/**
 * The terminal as Ink sees it. It learns a new size only from us, together with the lines that are made for it; and it
 * never believes itself to fill the terminal, since it would then erase all that was scrolled away.
 */
export class ScreenOutput extends EventEmitter {
  readonly isTTY = true;
  readonly rows = 100_000;
  columns: number;
  readonly #stdout: NodeJS.WriteStream;

  constructor(stdout: NodeJS.WriteStream, columns: number) {
    super();
    this.#stdout = stdout;
    this.columns = columns;
  }

  write(text: string, whenWritten?: () => void): boolean {
    return this.#stdout.write(text, () => whenWritten?.());
  }

  get writable(): boolean {
    return this.#stdout.writable;
  }

  get destroyed(): boolean {
    return this.#stdout.destroyed;
  }

  get writableEnded(): boolean {
    return this.#stdout.writableEnded;
  }

  get writableLength(): number {
    return this.#stdout.writableLength;
  }
}
