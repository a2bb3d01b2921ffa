import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseCassette, type Cassette } from "../../../src/sinks/cassette.js";
import { createCassetteWriter, type CassetteSeed, type CassetteWriter } from "../../../src/sinks/cassette-writer.js";
import { createRedactor } from "../../../src/sinks/redact.js";
import { noise } from "./secret-samples.js";

let folder = "";
let path = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "jlgcli-writer-"));
  path = join(folder, "run.ndjson");
});
afterEach(() => rmSync(folder, { recursive: true }));

const SEED: CassetteSeed = { backend: "codex", backendVersion: "0.171.0" };
const redactor = createRedactor({ SERVICE_TOKEN: "nur-wörter-darin" });
const SUCCESS = { exitCode: 0, signal: null };

function record(action: (writer: CassetteWriter) => void, seed = SEED): Cassette {
  const writer = createCassetteWriter(path, seed, redactor);
  writer.start(["codex", "exec"]);
  action(writer);
  writer.end(SUCCESS);
  expect(writer.close()).toBe(path);
  return parseCassette(readFileSync(path, "utf8"), path);
}

function bytesOf(cassette: Cassette, fd: 1 | 2): Buffer {
  return Buffer.concat(cassette.output.filter((output) => output.fd === fd).map(({ bytes }) => bytes));
}

describe("a recording", () => {
  it("holds what is known of the run", () => {
    const { header, end } = record(() => undefined);
    expect(header).toEqual({
      backend: "codex",
      backendVersion: "0.171.0",
      recordedAt: header.recordedAt,
      argv: ["codex", "exec"],
      label: `codex 0.171.0, recorded ${header.recordedAt.slice(0, 10)}`,
      sample: false,
    });
    expect(header.recordedAt).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(end).toMatchObject({ exit: 0, signal: null });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(["run.ndjson"]);
  });

  it("gives every byte back, whatever it is and however it came", () => {
    const chunk = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.string({ unit: "binary", maxLength: 20 }).map((text) => Buffer.from(text)),
      fc.constantFrom("{}\n", '{"a":"ü"}\n', "\n", "😀").map((text) => Buffer.from(text)),
      fc.constantFrom([0xf0, 0x9f], [0x98, 0x80], [0xe2], [0x82], [0xac], [0xff], [0xc3]).map((bytes) => Buffer.from(bytes)),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom<1 | 2>(1, 2), chunk), { maxLength: 30 }), (chunks) => {
        const cassette = record((writer) => chunks.forEach(([fd, bytes]) => writer.write(fd, bytes)));
        for (const fd of [1, 2] as const) {
          const written = Buffer.concat(chunks.filter(([to]) => to === fd).map(([, bytes]) => bytes));
          expect(bytesOf(cassette, fd)).toEqual(written);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("gives long lines back in pieces that are whole characters", () => {
    const line = Buffer.from(`${"x".repeat(17)}${"ü€😀".repeat(400_000)}\nend`);
    const cassette = record((writer) => {
      for (let start = 0; start < line.length; start += 65_536) writer.write(1, line.subarray(start, start + 65_536));
    });
    expect(bytesOf(cassette, 1).equals(line)).toBe(true);
    expect(readFileSync(path, "utf8")).not.toContain("base64");
  });

  it("keeps the time at which a line came and puts what came at once into one entry", async () => {
    const cassette = await recordSlowly();
    const [first, second] = cassette.output;
    expect(cassette.output.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(["a\nb\n", "c\n"]);
    expect(first?.atMs).toBeLessThan(second?.atMs ?? 0);
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(99);
    expect(cassette.end.atMs).toBeGreaterThanOrEqual(second?.atMs ?? 0);
  });

  async function recordSlowly(): Promise<Cassette> {
    const writer = createCassetteWriter(path, SEED, redactor);
    writer.start([]);
    writer.write(1, Buffer.from("a\nb\nc"));
    await new Promise((resolve) => setTimeout(resolve, 110));
    writer.write(1, Buffer.from("\n"));
    writer.end(SUCCESS);
    writer.close();
    return parseCassette(readFileSync(path, "utf8"), path);
  }

  it("tells a signal, and takes SIGTERM for one that is not known", () => {
    for (const [signal, recorded] of [["SIGKILL", "SIGKILL"], [null, "SIGTERM"]] as const) {
      const writer = createCassetteWriter(path, SEED, redactor);
      writer.start([]);
      writer.end({ exitCode: null, signal });
      writer.close();
      expect(parseCassette(readFileSync(path, "utf8"), path).end).toMatchObject({ exit: null, signal: recorded });
    }
  });
});

describe("a secret", () => {
  const secret = `sk-${"ant-"}api03-${noise(60)}`;

  it("is not in the arguments", () => {
    const writer = createCassetteWriter(path, SEED, redactor);
    writer.start(["tool", "--api-key", noise(32), "--header", `x-api-key: ${secret}`]);
    writer.end(SUCCESS);
    writer.close();
    const text = readFileSync(path, "utf8");
    expect(text).not.toContain(noise(32));
    expect(text).not.toContain(secret);
    expect(parseCassette(text, path).header.argv).toHaveLength(5);
  });

  it("is not in the output: cut by chunks, cut by records, among bytes that are no text, on stderr, without a line end", () => {
    const delta = (text: string): string => `${JSON.stringify({ delta: text })}\n`;
    const cassette = record((writer) => {
      for (const piece of ["key ", secret.slice(0, 9), secret.slice(9, 20), secret.slice(20), "\n"]) writer.write(1, Buffer.from(piece));
      for (let start = 0; start < secret.length; start += 5) writer.write(1, Buffer.from(delta(secret.slice(start, start + 5))));
      writer.write(1, Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(secret), Buffer.from([0x0a])]));
      writer.write(1, Buffer.from("nur-wörter-darin\n"));
      writer.write(2, Buffer.from(`Authorization: Bearer ${secret}`));
    });
    const stdout = bytesOf(cassette, 1).toString("latin1");
    expect(stdout.match(/\[redacted:[a-z-]+\]/g)).toEqual([
      "[redacted:anthropic-key]",
      "[redacted:anthropic-key]",
      "[redacted:anthropic-key]",
      "[redacted:environment]",
    ]);
    for (let start = 7; start + 5 <= secret.length; start += 5) expect(stdout).not.toContain(secret.slice(start, start + 5));
    expect(bytesOf(cassette, 2).toString()).toBe("Authorization: Bearer [redacted:anthropic-key]");
  });
});

describe("a recording that does not work", () => {
  it("is told before the run when the file cannot be made", () => {
    expect(() => createCassetteWriter(join(folder, "none", "x"), SEED, redactor)).toThrow(
      expect.objectContaining({ code: "CANNOT_CREATE", exitCode: 73 }),
    );
  });

  it("leaves the older cassette and no other file when nothing was started or the run did not end", () => {
    writeFileSync(path, "old");
    expect(createCassetteWriter(path, SEED, redactor).close()).toBeNull();
    const writer = createCassetteWriter(path, SEED, redactor);
    writer.start([]);
    writer.write(1, Buffer.from("a\n"));
    expect(writer.close()).toBeNull();
    expect([readdirSync(folder), readFileSync(path, "utf8")]).toEqual([["run.ndjson"], "old"]);
  });

  it("refuses a second run and tells so only when it is closed", () => {
    const writer = createCassetteWriter(path, SEED, redactor);
    writer.start([]);
    writer.start([]);
    writer.end(SUCCESS);
    expect(() => writer.close()).toThrow("a cassette holds one run");
    expect(readdirSync(folder)).toEqual([]);
  });
});
