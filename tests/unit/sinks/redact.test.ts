import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRedactor, MAX_HELD_CHARS, redactValue } from "../../../src/sinks/redact.js";
import { REDACT_RULES } from "../../../src/sinks/redact-rules.js";
import { IN_CONTEXT, noise, ORDINARY, privateKey, TOKENS } from "./secret-samples.js";

const redact = createRedactor({});
const SAMPLES = [...TOKENS, ...IN_CONTEXT];

describe("a text with a secret", () => {
  it.each(SAMPLES)("does not show $name", ({ text, secret, kind }) => {
    expect(redact(text)).toBe(text.replace(secret, () => `[redacted:${kind}]`));
  });

  it.each(TOKENS)("does not show $name wherever it stands", ({ secret }) => {
    const places = [
      `key ${secret} and more`,
      `(${secret})`,
      `key=${secret}`,
      `a=1%3D${secret}`,
      `first line\n${secret}\nlast line`,
      JSON.stringify({ text: `first line\n${secret}\nlast line` }),
      JSON.stringify({ text: JSON.stringify({ text: `a\t${secret}"` }) }),
      JSON.stringify({ text: `\u001b[31m${secret}\u001b[0m` }),
      `\u001b[1;31m${secret}\u001b[0m`,
      `-${secret}`,
      `x_${secret}`,
      `ü${secret}ü`,
    ];
    for (const place of places) expect(redact(place), place).not.toContain(secret.slice(0, 24));
  });

  it.each(SAMPLES)("gives the same when $name is redacted twice", ({ text }) => {
    expect(redact(redact(text))).toBe(redact(text));
  });

  it.each(["RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY", "EC PRIVATE KEY", "PGP PRIVATE KEY BLOCK"])(
    "does not show the lines of a %s",
    (type) => {
      const lines = privateKey(type);
      for (const prefix of ["", "  ", "+", "> ", "  12\u2192", "7: "]) {
        const shown = redact(["before", ...lines.map((line) => prefix + line), "after", ""].join("\n"));
        for (const line of lines) expect(shown).not.toContain(line.slice(1));
        expect(shown.startsWith("before\n")).toBe(true);
        expect(shown.endsWith("\nafter\n")).toBe(true);
      }
    },
  );

  it("shows what follows a private key that has no end", () => {
    const [begin = "", first = ""] = privateKey();
    expect(redact(`${begin}\r\n${first}\r\nThis is ordinary text.\r\n`)).toBe(
      "[redacted:private-key]\r\n[redacted:private-key]\r\nThis is ordinary text.\r\n",
    );
  });
});

describe("ordinary text", () => {
  it.each(ORDINARY)("stays as it is: %s", (text) => {
    expect(redact(text)).toBe(text);
    expect(redact(JSON.stringify({ text }))).toBe(JSON.stringify({ text }));
  });

  it("keeps a large image in base64", () => {
    const bytes = Buffer.alloc(300_000);
    for (let i = 0; i < bytes.length; i++) bytes[i] = (i * 2654435761) >>> 13;
    const text = `{"type":"image","data":"${bytes.toString("base64")}"}`;
    expect(redact(text)).toBe(text);
  });
});

describe("the environment", () => {
  const value = `${noise(10)}"\\/ü ${noise(6)}+&`;
  const env = {
    MY_SERVICE_TOKEN: value,
    LOCAL_API_KEY: "plain-words-only",
    DB_PASSWORD: "correct horse",
    SHORT_TOKEN: "abc",
    A_SECRET: "true",
    GOOGLE_APPLICATION_CREDENTIALS: "/home/user/key.json",
    WINDOWS_CREDENTIALS: "C:\\Users\\me\\key.json",
    SORT_KEY: "created_at",
    AWS_SECRET_ACCESS_KEY: `/${noise(20)}/${noise(18)}`,
    SIGNING_PRIVATE_KEY: ["-- header of no known form --", noise(40, "alnum", 9)].join("\n"),
    HOME: "/home/someone-long",
    MISSING_TOKEN: undefined,
  };
  const redactEnv = createRedactor(env);

  it("hides a secret value in every form in which it may stand", () => {
    const forms = {
      plain: value,
      json: JSON.stringify({ a: value }),
      jsonInJson: JSON.stringify(JSON.stringify({ a: value })),
      url: `x?v=${encodeURIComponent(value)}`,
      form: `v=${encodeURIComponent(value).replaceAll("%20", "+")}`,
      jsonInThreeLevels: JSON.stringify(JSON.stringify(JSON.stringify({ a: value }))),
      jsonOfPython: JSON.stringify({ a: value }).replace("ü", "\\u00fc"),
      jsonOfPhp: JSON.stringify({ a: value }).replaceAll("/", "\\/"),
      jsonOfGo: JSON.stringify({ a: value }).replace("&", "\\u0026"),
      urlInLowerCase: `x?v=${encodeURIComponent(value).replace(/%../g, (code) => code.toLowerCase())}`,
      urlInJson: JSON.stringify({ a: `https://x/?v=${encodeURI(value)}` }),
      base64: Buffer.from(value).toString("base64"),
      bytes: Buffer.from(value).toString("latin1"),
    };
    for (const [form, text] of Object.entries(forms)) {
      expect(redactEnv(text), form).toContain("[redacted:environment]");
      expect(redactEnv(text), form).not.toContain(value.slice(0, 8));
    }
    for (const form of [forms.json, forms.jsonOfPython, forms.jsonOfPhp, forms.jsonOfGo]) {
      expect(JSON.parse(redactEnv(form))).toEqual({ a: "[redacted:environment]" });
    }
    expect(JSON.parse(redactEnv(forms.jsonInJson))).toBe('{"a":"[redacted:environment]"}');
  });

  it("hides values of plain words, values with blanks, keys that begin with a slash and lines of long values", () => {
    for (const secret of [env.LOCAL_API_KEY, env.DB_PASSWORD, env.AWS_SECRET_ACCESS_KEY, noise(40, "alnum", 9)]) {
      expect(redactEnv(`it says ${secret}.`)).toBe("it says [redacted:environment].");
    }
  });

  it("does not hide short values, switches, paths and names of columns", () => {
    for (const text of ["abc", "true", "/home/user/key.json", "C:\\Users\\me\\key.json", "created_at", "/home/someone-long"]) {
      expect(redactEnv(text)).toBe(text);
    }
  });
});

describe("redactValue", () => {
  it("redacts strings, names and members that are secret by their name, and keeps the rest", () => {
    const [sample] = TOKENS;
    const secret = sample?.secret ?? "";
    const value = {
      type: "tool_call",
      rawInput: { command: `curl -H 'x-api-key: ${secret}'`, password: "open sesame", headers: { "Set-Cookie": ["a=b", "c=d"] } },
      [secret]: [1, null, true, "text"],
      tokens: 12,
    };
    expect(redactValue(value, redact)).toEqual({
      type: "tool_call",
      rawInput: {
        command: "curl -H 'x-api-key: [redacted:anthropic-key]'",
        password: "[redacted:value]",
        headers: { "Set-Cookie": ["a=b", "c=d"] },
      },
      "[redacted:anthropic-key]": [1, null, true, "text"],
      tokens: 12,
    });
  });

  it("ends on a value that contains itself", () => {
    const value: Record<string, unknown> = {};
    value["self"] = value;
    expect(JSON.stringify(redactValue(value, redact))).toContain("[redacted:too-deep]");
  });
});

const fragment = fc.oneof(
  fc.constantFrom(...SAMPLES.map((sample) => sample.text)),
  fc.constantFrom(...SAMPLES.map((sample) => sample.text.slice(0, Math.ceil(sample.text.length / 2)))),
  fc.constantFrom(...ORDINARY),
  fc.constantFrom("\n", "\r\n", "\n\n", " ", '"', "\\n", "\\", "Authorization: Bearer ", ...privateKey()),
  fc.string({ unit: "grapheme", maxLength: 20 }),
);
const anyText = fc.array(fragment, { maxLength: 12 }).map((pieces) => pieces.join(""));

describe("the stream", () => {
  it("gives the same as the whole text however the text is cut", () => {
    fc.assert(
      fc.property(anyText, fc.array(fc.nat(400), { maxLength: 20 }), (text, cuts) => {
        expect(redactInPieces(text, cuts)).toBe(redact(text));
      }),
      { numRuns: 1000 },
    );
  });

  it("gives the same as the whole text when a line is longer than what is held back", () => {
    const [sample] = TOKENS;
    const secret = sample?.secret ?? "";
    for (const offset of [0, 1, 40, 100, 16 * 1024, 16 * 1024 + 60]) {
      const start = "word ".repeat(MAX_HELD_CHARS / 5).slice(offset);
      const text = `${start} Authorization: Bearer ${secret} ${start}${secret}\nend ${secret}`;
      const whole = redact(text);
      expect(whole).not.toContain(secret.slice(0, 24));
      expect(whole.match(/\[redacted:/g)).toHaveLength(3);
      expect(redactInPieces(text, [65_536, 300_000, 1, 500_000, 77])).toBe(whole);
    }
  });

  it("gives finished lines at once and holds back only the last one", () => {
    const stream = redact.stream();
    expect(stream.push("one\ntw")).toBe("one\n");
    expect(stream.push("o")).toBe("");
    expect(stream.push("\nthree")).toBe("two\n");
    expect(stream.flush()).toBe("three");
    expect(stream.flush()).toBe("");
  });
});

describe("JSON", () => {
  const values = { A_SECRET: 'a "quoted" value\\', B_TOKEN: "ends with a backslash\\", C_PASSWORD: "\\\\server\\share\\x" };

  it("stays JSON whatever secret values are in it", () => {
    const redactValues = createRedactor(values);
    const text = fc.array(fc.oneof(fc.constantFrom(...Object.values(values)), fc.constantFrom('"', "\\", " ", "n")), { maxLength: 8 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(text, fc.string(), (first, second) => {
        for (const json of [JSON.stringify({ first, second }), JSON.stringify({ first: JSON.stringify({ first, second }) })]) {
          const shown = redactValues(json);
          expect(() => void JSON.parse(shown)).not.toThrow();
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("stays JSON", () => {
    const json = fc.array(fc.oneof(anyText, fc.jsonValue()), { maxLength: 5 }).chain((values) =>
      fc.constantFrom(JSON.stringify(values), JSON.stringify({ a: JSON.stringify(values) })),
    );
    fc.assert(
      fc.property(json, (text) => {
        expect(() => void JSON.parse(redact(text))).not.toThrow();
      }),
      { numRuns: 1000 },
    );
  });
});

describe("time", () => {
  const MIB = 1024 * 1024;
  const adversarial = [
    "a", "-", "=", ":", "@", "/", "\\", '"', " ", "sk-", "sk-ant-", "eyJ", "eyJaaaaaaaaa.", "://", "://a:", "://a:b", "A", "Aa1", "password=",
    "password:", "authorization: ", "Authorization: Bearer ", "cookie: a=b; ", "Cookie: a", "a=b;", "curl ", "curl -u ", "?key=", "%3F", "TOKEN",
    "API_KEY=", "-----BEGIN PRIVATE KEY-----", "-----BEGIN ", "-----BEGIN PRIVATE KEY-----\\n", "\\\\\\\\\\\\\\\\\"", "[0;", "\\u003d", "1//0", "SG.", "x-", "x-a-",
    "ghp_", "gl", "0123456789:AA", "8Q~", "a.b.c.", "hooks.slack.com/services/", "login a password ", "é", "\r", "\n", "-----BEGIN PRIVATE KEY-----\n", "AAAA\n",
  ];

  it.each(adversarial)("does not explode on a mebibyte of %j", (piece) => {
    const text = piece.repeat(Math.ceil(MIB / piece.length));
    const startedAt = performance.now();
    redact(text);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it("does not explode on mixtures", () => {
    const startedAt = performance.now();
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...adversarial), { minLength: 1, maxLength: 6 }), (pieces) => {
        const piece = pieces.join("");
        redact(piece.repeat(Math.ceil(65_536 / piece.length)));
      }),
      { numRuns: 100 },
    );
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });
});

describe("the rules", () => {
  it("never match across a line break", () => {
    for (const { pattern, kind } of REDACT_RULES) {
      for (const { text } of SAMPLES) {
        for (const match of `${text}\n${text}`.matchAll(pattern)) expect(match[0], kind).not.toContain("\n");
      }
    }
  });

  it("have kinds that can stand in JSON", () => {
    for (const { kind } of REDACT_RULES) expect(kind).toMatch(/^[a-z-]+$/);
  });
});

function redactInPieces(text: string, cuts: readonly number[]): string {
  const stream = redact.stream();
  let shown = "";
  let start = 0;
  for (const length of cuts) {
    shown += stream.push(text.slice(start, start + length));
    start += length;
  }
  return shown + stream.push(text.slice(start)) + stream.flush();
}
