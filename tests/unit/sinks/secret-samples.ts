/**
 * Samples of secrets that look real and are none. They are put together from pieces at run time, so that
 * scanners of repositories do not take them for leaked ones.
 */
const ALPHABETS = {
  alnum: "A7bQ2xKd9LmZ4pRt8sVw3yEf6GhJ5nUcXoPiM1qTzN0rBvHkYgWaSlDuCeFj",
  hex: "0f3a9c7be12d5846",
  upper: "Q7ZK2MXW5PTR3HJ6BNDG4VLC",
  digits: "4930172856",
} as const;

/** `length` characters that look random and are the same on every run. */
export function noise(length: number, alphabet: keyof typeof ALPHABETS = "alnum", seed = 1): string {
  const letters = ALPHABETS[alphabet];
  let state = seed * 7919 + length;
  return Array.from({ length }, () => {
    state = (state * 48271) % 2147483647;
    return letters[state % letters.length];
  }).join("");
}

export interface SecretSample {
  readonly name: string;
  /** A text with the secret in it. */
  readonly text: string;
  /** What must not be left of it. */
  readonly secret: string;
  readonly kind: string;
}

function token(name: string, kind: string, ...pieces: readonly string[]): SecretSample {
  const secret = pieces.join("");
  return { name, kind, secret, text: secret };
}

function within(name: string, kind: string, before: string, secret: string, after = ""): SecretSample {
  return { name, kind, secret, text: before + secret + after };
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

export const JWT = [base64url({ alg: "RS256", typ: "JWT" }), base64url({ sub: "1", exp: 1 }), noise(86)].join(".");

/** Shapes that tell their vendor, alone. */
export const TOKENS: readonly SecretSample[] = [
  token("an Anthropic API key", "anthropic-key", "sk-", "ant-api03-", noise(86), "-", noise(6), "AA"),
  token("an Anthropic OAuth token", "anthropic-key", "sk-", "ant-oat01-", noise(86), "_", noise(6), "AA"),
  token("an old OpenAI key", "openai-key", "sk-", noise(20), "T3Blbk", "FJ", noise(20)),
  token("an OpenAI project key", "openai-key", "sk-", "proj-", noise(60), "_", noise(40), "-", noise(20)),
  token("an OpenAI service account key", "openai-key", "sk-", "svcacct-", noise(100)),
  token("an OpenAI admin key", "openai-key", "sk-", "admin-", noise(60)),
  token("a DeepSeek key", "openai-key", "sk-", noise(32, "hex")),
  token("an OpenRouter key", "openrouter-key", "sk-", "or-v1-", noise(64, "hex")),
  token("a GitHub personal token", "github-token", "gh", "p_", noise(36)),
  token("a GitHub OAuth token", "github-token", "gh", "o_", noise(36)),
  token("a GitHub user token", "github-token", "gh", "u_", noise(36)),
  token("a GitHub server token", "github-token", "gh", "s_", noise(36)),
  token("a GitHub refresh token", "github-token", "gh", "r_", noise(76)),
  token("a GitHub fine-grained token", "github-token", "github", "_pat_", noise(22), "_", noise(59)),
  token("a Copilot token", "copilot-token", "tid=", noise(32, "hex"), ";exp=1700000000;sku=x;8kp=1:", noise(64, "hex")),
  token("a Google API key", "google-key", "AI", "za", noise(35)),
  token("a Google access token", "google-token", "ya", "29.", noise(60), "-", noise(20)),
  token("a Google refresh token", "google-token", "1/", "/0", noise(60)),
  token("a Google client secret", "google-key", "GOC", "SPX-", noise(28)),
  token("an AWS access key id", "aws-key", "AK", "IA", noise(16, "upper")),
  token("a temporary AWS access key id", "aws-key", "AS", "IA", noise(16, "upper")),
  token("a Bedrock key", "aws-key", "AB", "SK", noise(128)),
  token("an Azure client secret", "azure-secret", "x1Y", "8", "Q~", noise(34)),
  token("a Slack bot token", "slack-token", "xo", "xb-", noise(12, "digits"), "-", noise(12, "digits"), "-", noise(24)),
  token("a Slack user token", "slack-token", "xo", "xp-", noise(12, "digits"), "-", noise(32, "hex")),
  token("a Slack app token", "slack-token", "xa", "pp-1-", noise(11, "upper"), "-", noise(64, "hex")),
  token("a Discord bot token", "discord-token", "M", noise(24), ".", noise(6), ".", noise(38)),
  token("a Telegram bot token", "telegram-token", noise(10, "digits"), ":A", "A", noise(33)),
  token("a Hugging Face token", "huggingface-token", "h", "f_", noise(34)),
  token("an npm token", "npm-token", "np", "m_", noise(36)),
  token("a PyPI token", "pypi-token", "py", "pi-AgEIcHlwaS5vcmc", noise(80)),
  token("a GitLab token", "gitlab-token", "gl", "pat-", noise(20)),
  token("a Stripe live key", "stripe-key", "sk", "_live_", noise(24)),
  token("a Stripe restricted key", "stripe-key", "rk", "_live_", noise(24)),
  token("a Stripe webhook secret", "stripe-key", "wh", "sec_", noise(32)),
  token("an xAI key", "xai-key", "xa", "i-", noise(80)),
  token("a Groq key", "groq-key", "gs", "k_", noise(52)),
  token("a Perplexity key", "perplexity-key", "pp", "lx-", noise(48)),
  token("a Replicate token", "api-key", "r", "8_", noise(37)),
  token("a Fireworks key", "api-key", "f", "w_", noise(24)),
  token("an NVIDIA key", "api-key", "nv", "api-", noise(64)),
  token("a Tavily key", "api-key", "tv", "ly-dev-", noise(32)),
  token("a Databricks token", "api-key", "da", "pi", noise(32, "hex")),
  token("a Linear key", "api-key", "lin", "_api_", noise(40)),
  token("a SendGrid key", "api-key", "S", "G.", noise(22), ".", noise(43)),
  token("a Vault token", "api-key", "hv", "s.", noise(90)),
  token("a signed web token", "jwt", JWT),
  token("an encrypted web token", "jwt", base64url({ alg: "dir", enc: "A256GCM" }), "..", noise(16), ".", noise(40), ".", noise(22)),
];

const KEY_BODY = [noise(64, "alnum", 2), noise(64, "alnum", 3), `${noise(40, "alnum", 4)}==`];
const keyMarker = (word: "BEGIN" | "END", type: string): string => `${"-".repeat(5)}${word} ${type}${"-".repeat(5)}`;

/** A private key as lines. */
export function privateKey(type = "RSA PRIVATE KEY"): readonly string[] {
  return [keyMarker("BEGIN", type), ...KEY_BODY, keyMarker("END", type)];
}

/** Values that only their surroundings tell. */
export const IN_CONTEXT: readonly SecretSample[] = [
  within("a bearer header", "authorization", "Authorization: Bearer ", noise(40)),
  within("a bearer header of plain letters", "authorization", "authorization: bearer ", "abcdefghijk"),
  within("a bearer header in JSON", "authorization", '{"Authorization":"Bearer ', noise(40), '","a":1}'),
  within("a bearer header in JSON in JSON", "authorization", '{"s":"{\\"authorization\\": \\"Bearer ', noise(40), '\\"}"}'),
  within("a bearer header in a curl command", "authorization", "curl -H 'Authorization: Bearer ", noise(40), "' https://api.example.com"),
  within("a bearer header in a list", "authorization", '["authorization","Bearer ', noise(40), '"]'),
  within("a header whose values are a list", "authorization", '{"Authorization":["Bearer ', noise(40), '"]}'),
  within("a bearer token alone", "authorization", "uses Bearer ", noise(40), " to sign in"),
  within("a basic header", "authorization", "Authorization: Basic ", base64("user:hunter22")),
  within("a basic header for a proxy", "authorization", "Proxy-Authorization: Basic ", base64("u:p4")),
  within("a header with a token scheme", "authorization", "Authorization: token ", noise(40, "hex")),
  within("a header without a scheme", "authorization", "Authorization: ", noise(40)),
  within("an AWS signature", "authorization", "SignedHeaders=host, Signature=", noise(64, "hex")),
  within("an x-api-key header", "api-key", "x-api-key: ", "my-secret-gateway-key"),
  within("an x-api-key header in JSON", "api-key", '{"x-api-key":"', noise(24), '"}'),
  within("an x-goog-api-key header in curl", "api-key", 'curl -H "x-goog-api-key: ', noise(24), '"'),
  within("an Azure api-key header", "value", "api-key: ", noise(32, "hex")),
  within("a private-token header", "api-key", "PRIVATE-TOKEN: ", noise(20)),
  within("a cookie header", "cookie", "Cookie: ", `session=${noise(20)}; theme=dark`),
  within("a cookie header with quotes", "cookie", "< set-cookie: ", `sid="${noise(20)}"; Path=/; HttpOnly`),
  within("a cookie header in JSON", "cookie", '{"cookie":"', `session=${noise(20)}; b=${noise(8)}`, '","n":1}'),
  within("a set-cookie list in JSON", "cookie", '{"set-cookie":["', `sid=${noise(20)}; Path=/`, '; HttpOnly"]}'),
  within("a cookie in a curl command", "cookie", "curl -H 'Cookie: ", `sid=${noise(20)}`, "'"),
  within("a URL with a password", "url-password", "postgres://app:", "s3cr3t-pass", "@db.example.com:5432/app"),
  within("a URL with a password that has an @", "url-password", "https://app:", "p@ss@word", "@example.com/x"),
  within("a URL with a password and no user", "url-password", "redis://:", noise(16), "@localhost:6379"),
  within("a URL in JSON with escaped slashes", "url-password", '"https:\\/\\/u:', noise(12), '@example.com\\/x"'),
  within("a URL with a token for a user", "url-password", "https://", noise(40), "@example.com/owner/project.git"),
  within("an api_key parameter", "parameter", "GET /v1/x?api_key=", noise(20), "&n=1"),
  within("a token parameter", "parameter", "https://example.com/?a=1&token=", noise(20)),
  within("an access_token parameter after an escaped &", "parameter", '"https://e.com/?a=1\\u0026access_token=', noise(20), '"'),
  within("an encoded access_token parameter", "parameter", "redirect=%2Fcb%3Faccess_token%3D", noise(20)),
  within("a key parameter", "parameter", "https://example.com/v1beta/models?key=", noise(39)),
  within("a signed Azure address", "parameter", "https://x.blob.core.windows.net/c/b?sv=2022&sig=", "a%2Fb9%2BcD1eF2gH3%3D"),
  within("an Azure connection string", "azure-secret", "AccountName=x;AccountKey=", `${noise(86)}==`, ";EndpointSuffix=core.windows.net"),
  within("a Slack webhook", "webhook", "https://hooks.slack.com/services/", `T${noise(8, "upper")}/B${noise(8, "upper")}/${noise(24)}`),
  within("a Discord webhook", "webhook", "https://discord.com/api/webhooks/123456789012345678/", noise(68)),
  within("an AWS secret in a credentials file", "aws-key", "aws_secret_access_key = ", `${noise(20)}/${noise(10)}+${noise(8)}`),
  within("an AWS secret in the environment", "aws-key", "AWS_SECRET_ACCESS_KEY=", `${noise(20)}/${noise(19)}`),
  within("an AWS secret in JSON", "value", '"SecretAccessKey": "', `${noise(20)}/${noise(19)}`, '"'),
  within("an npmrc login", "password", "//npm.example.com/:_authToken=", "0f3a9c7b-e12d-4846-9c7b-0f3a9c7be12d"),
  within("a netrc line", "password", "machine example.com login me password ", "hunter22"),
  within("a password in JSON", "value", '{"user":"me","password":"', "hunter22", '"}'),
  within("a password with escapes in JSON", "value", '{"password":"', 'a\\"b\\\\c d', '","n":1}'),
  within("a password in JSON in JSON", "value", '{"s":"{\\"password\\": \\"', "hunter22", '\\"}"}'),
  within("an API key in JSON", "value", '{"apiKey": "', "local-key-1", '"}'),
  within("a refresh token in JSON", "value", '{"refresh_token":"', noise(30), '"}'),
  within("an OAuth access token in JSON", "value", '{"accessToken":"', noise(30), '"}'),
  within("a Docker login", "value", '{"auths":{"ghcr.io":{"auth":"', base64("someone:with-a-password-9"), '"}}}'),
  within("a key in code", "value", "const client = new Client({ apiKey: '", noise(24), "' });"),
  within("a line of a .env file", "value", "MISTRAL_API_KEY=", noise(32)),
  within("a quoted line of a .env file", "value", 'DB_PASSWORD="', "correct-horse", '"'),
  within("an exported variable", "value", "export COHERE_API_KEY='", noise(40), "'"),
  within("a variable in JSON text", "value", '{"text":"A=1\\nMY_TOKEN=', noise(20), '\\nB=2"}'),
  within("a variable in JSON", "value", '{"env":{"MY_TOKEN":"', "abc-def-123", '"}}'),
  within("a variable in YAML", "value", "  MY_TOKEN: ", "abc-def-123"),
  within("a variable in code", "value", 'MY_SECRET = "', "abc-def-ghi", '"'),
  within("a YAML value", "value", "  client_secret: ", noise(24)),
  within("an option of a command", "value", "tool --api-key ", noise(24), " --verbose"),
  within("an option in a list", "value", '["tool","--token","', noise(24), '"]'),
  within("a curl login", "password", "curl -s -u me:", "hunter22", " https://example.com"),
  within("a private key in JSON", "private-key", '{"private_key_text":"', privateKey().join("\\n"), '\\n"}'),
  within("a private key in JSON in JSON", "private-key", '{"s":"{\\"k\\":\\"', privateKey("PRIVATE KEY").join("\\\\n"), '\\"}"}'),
];

/** Ordinary text that must stay as it is. */
export const ORDINARY: readonly string[] = [
  "commit 3f786850e387550fdab836ed7e6dc881de23001b",
  "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  "session 0b3c1b9e-52d4-4c1e-9a55-6f1f2d7a9e10 resumed",
  "pip install scikit-learn sk-learn sklearn-genetic-opt",
  "the branch is called sk-learn-based-model-with-a-long-name",
  "a risk-proj-assessment-of-the-new-building-2026 was made",
  "task-or-something-that-has-many-words-in-it",
  '<img src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==">',
  "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft",
  "pneumonoultramicroscopicsilicovolcanoconiosis",
  '{"usage":{"input_tokens":1234567890,"output_tokens":12,"cache_read_input_tokens":0},"max_tokens":32000}',
  '{"type":"tool_use","id":"toolu_01A09q90qw90lq917835lq9","name":"Bash"}',
  '{"session_id":"0b3c1b9e-52d4-4c1e-9a55-6f1f2d7a9e10","uuid":"7d444840-9dc0-11d1-b245-5ffdce74fad2"}',
  '{"type":"thinking","signature":"EqoBCkgIARABGAIiQL8k4jz0v0Yc1xk2vQ=="}',
  '{"request_id":"req_011CSHoEeqs5C35K2UUqR7Fy"}',
  "npm_config_registry=https://registry.npmjs.org/",
  "npm_lifecycle_event and npm_package_json are set by npm",
  "hf_transfer and hf_hub_download are functions",
  "gsk_ and pplx- and xai- are prefixes",
  "The Authorization header is required. Authorization: Bearer <token>",
  "Authorization: Bearer $TOKEN",
  "Authorization: Bearer ${{ secrets.GITHUB_TOKEN }}",
  "Bearer authentication is simpler than Basic authentication.",
  "API_KEY=$MY_KEY tool",
  "export GITHUB_TOKEN=${GITHUB_TOKEN}",
  "const token = await getToken(user);",
  "function login(password: string, token: string): Promise<void>",
  'const apiKey = process.env["OPENAI_API_KEY"];',
  "password: string; secret: boolean; api_key: undefined",
  '{"properties":{"password":{"type":"string"},"api_key":{"type":"string"}},"required":["password","api_key"]}',
  '{"password":""}',
  '["password:",1234567890,"API_KEY=",1234567890]',
  "a cookie is a small file; cookie consent: none",
  "http://localhost:8080/@scope/package?x=a@b",
  "git@github.com:owner/project.git and ssh://git@github.com/owner/project.git",
  "docker run ghcr.io/owner/image:1.2.3@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  "oci://registry.example.com:5000@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  "docker run -u 1000:1000 image",
  "https://example.com/search?q=token&page=2&code=200",
  "me@example.com wrote to you@example.org",
  "a-----b and -----BEGIN CERTIFICATE-----",
  "/home/user/project/src/sinks/redact.ts:12:34",
  "error TS2322: Type 'string' is not assignable to type 'number'.",
  "integrity sha512-3GaAVYz9+ZtKpVMJJdYbWb8UfAhGEpDMbVtUUKXDBnkyOPyGGbVvKSXrhTlJXJkXUYm8Xa0ZKRjDkCYaXCIoRg==",
  "data: eyJhIjoxfQ==",
  'fetch(url, { credentials: "include" }) and { credentials: "same-origin" }',
  '{"invalid_token":"The access token expired","error":"invalid_token"}',
  "MAX_TOKEN: number; TOKEN = parse(text)",
  "import.meta.url and self.token = token",
  "\u001b[31mred\u001b[0m text",
];
