/** One shape of a secret. No pattern may match across a line break: text is redacted line by line as it comes. */
export interface RedactRule {
  /** Stands in the replacement: `[redacted:kind]`. Lower-case letters and hyphens, so that it fits into JSON. */
  readonly kind: string;
  /**
   * Global, and never empty where it matches. Group 1 is the secret and ends the match; what stands before it is its context and is kept.
   * Without a group the whole match is the secret.
   *
   * Time stays linear because nothing that is required follows an unbounded repetition: once the repetition
   * has its minimum the pattern has matched. What follows is optional, or the repetition is bounded.
   */
  readonly pattern: RegExp;
}

/**
 * No letter or digit before: `risk-…` is no `sk-…`. But a letter that belongs to an escape (`\n`, `\u003d`, `%3D`,
 * the `m` that ends a terminal colour) is no part of the word, and tokens often stand right after one.
 */
const START = String.raw`(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf])|(?<=\\u[0-9A-Fa-f]{4})|(?<=%[0-9A-Fa-f]{2})|(?<=\[[0-9;]{0,16}m))`;

/** The quote around a key or a value, as it looks in JSON, and in JSON that stands as a string in JSON. */
const QUOTE = String.raw`(?:\\{0,8}["'])`;
const SEPARATOR = String.raw`[ \t]{0,8}(?:=>|[:=])[ \t]{0,8}`;
/** Between the name of a header and its value: `Name: v`, `"name":"v"`, `"name":["v"]`, `["name","v"]`, `name=v`. */
const HEADER_SEPARATOR = String.raw`(?:${QUOTE}?[ \t]{0,8}(?:[:=]|%3[AaDd])(?:[ \t]|%20|\+){0,8}\[?${QUOTE}?|${QUOTE}[ \t]{0,8},[ \t]{0,8}${QUOTE})`;

/** What stands where a secret would, in documentation and code, and is none. */
const PLACEHOLDER = String.raw`(?!(?:required|optional|undefined|disabled|enabled|unknown|missing|invalid|hidden|string|number|boolean|object|true|false|null|none|empty|default|example|placeholder|changeme|redacted|function|await|async|include|omit|same-origin|x{4,}|\*{3,}|\.{3,})(?![A-Za-z0-9])|(?:process|os|env|import|config|settings|self|this)\.|your[-_ ])`;

/** A value without blanks and quotes. Its first character tells it from a variable, a tag and the end of a JSON string. */
const VALUE_START = String.raw`(?![$<({[,;:\]})&|])`;
const VALUE_CHAR = String.raw`[^ \t\r\n"'\\]`;
const HAS_DIGIT = String.raw`(?=[^ \t\r\n"'\\0-9]{0,128}[0-9])`;

/** Names that tell by themselves that their value is secret. */
const SECRET_NAME = String.raw`(?:api[_-]?key|access[_-]?key(?:[_-]?id)?|secret[_-]?key|account[_-]?key|signing[_-]?key|encryption[_-]?key|private[_-]?key|access[_-]?token|refresh[_-]?token|(?<![A-Za-z])id[_-]?token|auth[_-]?token|bearer[_-]?token|session[_-]?token|client[_-]?secret|app[_-]?secret|webhook[_-]?secret|secret|password|passwd|passphrase|credentials?)`;

/** Names whose value is secret only where it looks like one: `token` is also a word of parsers and models. */
const MAYBE_SECRET_NAME = String.raw`(?:token|auth|pat)`;

/** Variables in capitals, as `env`, `.env` files and shell scripts show them. */
const SECRET_VARIABLE = String.raw`(?:TOKEN|API_?KEY|ACCESS_KEY|SECRET_KEY|PRIVATE_KEY|SIGNING_KEY|ENCRYPTION_KEY|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)`;

const HEADER_NAME = String.raw`(?:x-[a-z-]{0,24}(?:key|token|secret)|private-token|job-token|ocp-apim-subscription-key)`;

const QUERY_START = String.raw`(?:[?&;]|\\u0026|%3[Ff]|%26)`;
const QUERY_NAME = String.raw`(?:api[_-]?key|token|access[_-]?token|refresh[_-]?token|id[_-]?token|auth[_-]?token|session[_-]?token|client[_-]?secret|secret|password|passwd|sig|signature|X-Amz-Signature|X-Amz-Security-Token|X-Goog-Signature)`;
const QUERY_CHAR = String.raw`[^ \t\r\n"'\\<>&#;]`;

/**
 * Every shape that is known, the telling ones first: where two rules find the same text, the first names it.
 * The shapes are those that the vendors document or that their own secret scanners publish.
 */
export const REDACT_RULES: readonly RedactRule[] = [
  // --- keys that tell their vendor ---
  shape("anthropic-key", "sk-ant-", "(?:(?=[A-Za-z_-]{0,64}[0-9])[A-Za-z0-9_-]{10,}|[A-Za-z0-9_-]{16,})"),
  shape("openai-key", "sk-(?:proj|svcacct|admin|None)-", "[A-Za-z0-9_-]{20,}"),
  shape("openrouter-key", "sk-or-", "(?:v1-)?[A-Za-z0-9_-]{20,}"),
  // Also what others issue in the same form. A run of letters and digits, so that `sk-learn-based-model-two` is none.
  shape("openai-key", "sk-", "(?:[A-Za-z0-9]{1,12}-){0,3}(?=[A-Za-z]{0,64}[0-9])[A-Za-z0-9]{20,}[A-Za-z0-9_-]*"),
  shape("github-token", "github_pat_", "[A-Za-z0-9_]{20,}"),
  shape("github-token", "gh[pousr]_", String.raw`[A-Za-z0-9_]{16,}(?:\.[A-Za-z0-9_-]{4,}){0,2}`),
  shape("copilot-token", "tid=", String.raw`[0-9a-f]{16,64};[^ \t\r\n"'\\]{8,}`),
  shape("google-key", "AIza", "[A-Za-z0-9_-]{30,}"),
  shape("google-token", String.raw`ya29\.`, "[A-Za-z0-9_.-]{20,}"),
  shape("google-token", "1//0", "[A-Za-z0-9_-]{30,}"),
  shape("google-key", "GOCSPX-", "[A-Za-z0-9_-]{20,}"),
  shape("google-key", String.raw`AQ\.Ab`, "[A-Za-z0-9_-]{30,}"),
  shape("aws-key", "(?:AKIA|ASIA|ABIA|ACCA)", "[A-Z0-9]{16}(?![A-Za-z0-9])"),
  shape("aws-key", "(?:ABSK|bedrock-api-key-)", "[A-Za-z0-9+/=_-]{40,}"),
  { kind: "azure-secret", pattern: /[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,40}/g },
  context("azure-secret", "(?:AccountKey|SharedAccessKey|SharedAccessSignature)=([A-Za-z0-9+/=%&-]{20,})"),
  shape("slack-token", String.raw`xox[a-z](?:\.xox[a-z])?-`, "[A-Za-z0-9-]{10,}"),
  shape("slack-token", "xapp-[0-9]-", "[A-Za-z0-9-]{10,}"),
  context("webhook", String.raw`hooks\.slack\.com\\?/(?:services|workflows|triggers)\\?/((?:[A-Za-z0-9_-]|\\?/){20,})`),
  context("webhook", String.raw`discord(?:app)?\.com\\?/api\\?/webhooks\\?/[0-9]{10,24}\\?/([A-Za-z0-9_-]{30,})`),
  shape("discord-token", String.raw`[MNO][A-Za-z0-9_-]{23,27}\.`, String.raw`[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}`),
  shape("telegram-token", "[0-9]{8,10}:AA", "[A-Za-z0-9_-]{32,}"),
  shape("huggingface-token", "hf_", "(?:(?=[A-Za-z]{0,64}[0-9])[A-Za-z0-9]{20,}|[A-Za-z0-9]{30,})"),
  shape("npm-token", "npm_", "[A-Za-z0-9]{30,}"),
  shape("pypi-token", "pypi-", "[A-Za-z0-9_-]{40,}"),
  shape("gitlab-token", "gl(?:pat|dt|rt|cbt|ptt|ft|oas|soat|imt|agent|ffct|wt)-", "[A-Za-z0-9_.-]{16,}"),
  shape("stripe-key", "(?:sk|rk)_(?:live|test)_", "[A-Za-z0-9]{10,}"),
  shape("stripe-key", "whsec_", "[A-Za-z0-9+/=]{24,}"),
  shape("xai-key", "xai-", "[A-Za-z0-9]{20,}"),
  shape("groq-key", "gsk_", "[A-Za-z0-9]{20,}"),
  shape("perplexity-key", "pplx-", "[A-Za-z0-9]{20,}"),
  shape(
    "api-key",
    String.raw`(?:fw_|r8_|nvapi-|tvly-|csk-|crsr_|sgp_|sgamp_|lin_api_|ntn_|figd_|sbp_|glsa_|PMAK-|dop_v1_|doo_v1_|dor_v1_|dp\.pt\.|hvs\.|hvb\.|sntrys_|sntryu_|ATATT3)`,
    "(?=[A-Za-z_.=-]{0,64}[0-9])[A-Za-z0-9_.=-]{24,}",
  ),
  shape("api-key", "(?:dapi|SK|key-|shp(?:at|ca|pa|ss)_)", "[0-9A-Fa-f]{32}(?![A-Za-z0-9])"),
  shape("api-key", String.raw`SG\.`, String.raw`[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,}`),
  shape("private-key", "AGE-SECRET-KEY-1", "[A-Z0-9]{50,}"),
  // Header, payload and signature; an encrypted one has five parts, and the second may be empty.
  shape("jwt", "eyJ", String.raw`[A-Za-z0-9_-]{8,4096}\.[A-Za-z0-9_-]{0,16384}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]+){0,2}`),

  // --- keys that stand in the text as one line or with `\n`; raw lines of them are followed by the redactor ---
  {
    kind: "private-key",
    pattern: new RegExp(
      String.raw`-----BEGIN [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----` +
        String.raw`(?:\\{1,8}[rn]|[ \t](?=[A-Za-z0-9+/=]{30}|[A-Za-z0-9+/=]{1,64}[ \t]?-----END)|(?:Proc-Type|DEK-Info|Version|Comment): [^"\\\r\n]{0,100}|[A-Za-z0-9+/=])*` +
        String.raw`(?:[ \t]?-----END [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----)?`,
      "g",
    ),
  },

  // --- headers ---
  context(
    "authorization",
    String.raw`authorization${HEADER_SEPARATOR}(?:Bearer|Token|ApiKey|Api-Key|Key|OAuth|Negotiate|NTLM|Hawk|GoogleLogin|GenieKey|SSWS|Splunk|Discogs)(?:[ \t]|%20|\+){1,8}(${VALUE_START}${PLACEHOLDER}[^ \t\r\n"'\\,;]{6,})`,
  ),
  context(
    "authorization",
    String.raw`authorization${HEADER_SEPARATOR}Basic(?:[ \t]|%20|\+){1,8}((?=[A-Za-z+/]{0,256}[A-Z0-9=])[A-Za-z0-9+/_-]{4,}=*)`,
  ),
  context("authorization", String.raw`authorization${HEADER_SEPARATOR}(${HAS_DIGIT}${VALUE_START}${PLACEHOLDER}[^ \t\r\n"'\\,;]{16,})`),
  context("authorization", String.raw`Signature=([0-9a-f]{64})`),
  context("authorization", String.raw`(?:Bearer|Basic)(?:[ \t]|%20|\+){1,4}(${HAS_DIGIT}[A-Za-z0-9._~+/-]{16,}=*)`),
  context("api-key", String.raw`${HEADER_NAME}${HEADER_SEPARATOR}(${VALUE_START}${PLACEHOLDER}[^ \t\r\n"'\\,;]{8,})`),
  // A whole line, as `curl -v` prints it; elsewhere the pairs of names and values.
  { kind: "cookie", pattern: /^(?:[<>] )?(?:set-)?cookie:[ \t]*([^\r\n]{1,16384})/gimu },
  context(
    "cookie",
    String.raw`cookie${HEADER_SEPARATOR}([A-Za-z0-9_.$-]{1,128}=(?:\\{1,8}"[A-Za-z0-9._~+/=%-]{1,4096}\\{1,8}"|[^ \t\r\n"'\\;]{1,4096})(?:;[ \t]?[A-Za-z0-9_.$-]{1,128}=(?:\\{1,8}"[A-Za-z0-9._~+/=%-]{1,4096}\\{1,8}"|[^ \t\r\n"'\\;]{1,4096}))*)`,
  ),

  // --- addresses ---
  // A colon between the name and the password, up to the last @ of the authority. `image:tag@sha256:…` is none.
  {
    kind: "url-password",
    pattern: /:(?:\\?\/){2}[^ \t\r\n/:@"'\\<>?#[\]]{0,256}:((?![$<{])[^ \t\r\n/"'\\<>?#]{1,256}(?=@(?!sha\d)))/gu,
  },
  { kind: "url-password", pattern: /:(?:\\?\/){2}([A-Za-z0-9_-]{20,256}(?=@))/gu },
  context("parameter", String.raw`${QUERY_START}${QUERY_NAME}(?:=|%3[Dd])(${VALUE_START}${PLACEHOLDER}${QUERY_CHAR}{6,})`),
  context("parameter", String.raw`${QUERY_START}(?:key|code)(?:=|%3[Dd])(${HAS_DIGIT}${QUERY_CHAR}{16,})`),

  // --- names and their values ---
  context("aws-key", String.raw`aws_?secret_?access_?key${QUOTE}?${SEPARATOR}${QUOTE}?([A-Za-z0-9/+=]{16,})`),
  context("password", String.raw`:_(?:authToken|password|auth)[ \t]?=[ \t]?"?(${VALUE_START}[^ \t\r\n"'\\]{6,})`),
  context("password", String.raw`(?:login|user)[ \t]{1,4}[^ \t\r\n"'\\]{1,128}[ \t]{1,4}password[ \t]{1,4}(${VALUE_START}[^ \t\r\n"'\\]{4,})`),
  // In double quotes the value ends at the first quote that is not escaped.
  context("value", String.raw`${SECRET_NAME}["']?${SEPARATOR}"(${VALUE_START}${PLACEHOLDER}(?:[^\r\n"\\]|\\[^\r\n]){4,})`),
  context("value", String.raw`${SECRET_NAME}${QUOTE}?${SEPARATOR}(?:\\{1,8}"|\\{0,8}')(${VALUE_START}${PLACEHOLDER}${VALUE_CHAR}{4,})`),
  // In an address it is a parameter, see above.
  context("value", String.raw`${SECRET_NAME}(?<![?&][A-Za-z_-]{0,32})${SEPARATOR}(${HAS_DIGIT}${VALUE_START}${PLACEHOLDER}[^ \t\r\n"'\\,;(){}<>]{8,})`),
  context("value", String.raw`${MAYBE_SECRET_NAME}${QUOTE}?${SEPARATOR}${QUOTE}(${HAS_DIGIT}[A-Za-z0-9+/_.~-]{24,}=*)`),
  {
    kind: "value",
    pattern: new RegExp(
      String.raw`${SECRET_VARIABLE}(?:_[A-Z0-9]{1,16})?=${QUOTE}?(${VALUE_START}${PLACEHOLDER}${VALUE_CHAR}{8,})`,
      "g",
    ),
  },
  {
    kind: "value",
    pattern: new RegExp(
      String.raw`${SECRET_VARIABLE}(?:_[A-Z0-9]{1,16})?(?:${QUOTE}?${SEPARATOR}${QUOTE}|${SEPARATOR}${HAS_DIGIT})(${VALUE_START}${PLACEHOLDER}${VALUE_CHAR}{8,})`,
      "g",
    ),
  },
  context("value", String.raw`--(?:api-key|token|password|secret|access-token|auth-token|client-secret|bearer)(?:=|[ \t]{1,4}|${QUOTE}[ \t]{0,4},[ \t]{0,4}${QUOTE})(${HAS_DIGIT}${VALUE_START}${PLACEHOLDER}${VALUE_CHAR}{8,})`),
  context("password", String.raw`curl[^\r\n]{0,400}?[ \t](?:-u|--user)[ \t=]{1,4}${QUOTE}?[^ \t\r\n"'\\:]{1,128}:(${VALUE_START}${VALUE_CHAR}{1,256})`),
];

/** The name of a member whose value is secret, as JSON and headers have them. */
const SECRET_MEMBER = new RegExp(`(?:${SECRET_NAME}|^(?:proxy-)?authorization|^(?:set-)?cookie|^${HEADER_NAME})$`, "i");
const PLACEHOLDER_VALUE = new RegExp(`^${PLACEHOLDER}`, "i");

/** True where a string under this name must not be shown, whatever it looks like. */
export function isSecretMember(name: string, value: string): boolean {
  return value.length >= 4 && SECRET_MEMBER.test(name) && PLACEHOLDER_VALUE.test(value);
}

/**
 * A shape that tells by itself. Case counts. What stands before it is looked at after its prefix was found:
 * the search for a literal prefix is many times faster than a look back at every character.
 */
function shape(kind: string, prefix: string, body: string): RedactRule {
  return { kind, pattern: new RegExp(`${prefix}(?<=${START}${prefix})${body}`, "g") };
}

/** A value that its surroundings tell. Names may stand in any case. */
function context(kind: string, source: string): RedactRule {
  return { kind, pattern: new RegExp(source, "gi") };
}
