import type { Dialect } from "./model-request.js";

/**
 * The body of an error answer, as the vendors word it. There are several per status because a backend shows
 * the text to its user: whoever recognises one wording only has recognised nothing.
 *
 * Sources: the vendors' public error references and messages quoted in public bug reports.
 */
export function errorBody(dialect: Dialect, status: number, variant: number, model: string | null): string {
  const wordings = BODIES[dialect][status] ?? [fallback(dialect, status)];
  const chosen = wordings[variant % wordings.length] ?? fallback(dialect, status);
  return chosen.replaceAll("{model}", model ?? "unknown");
}

/** How many wordings there are for a status. */
export function wordingCount(dialect: Dialect, status: number): number {
  return BODIES[dialect][status]?.length ?? 1;
}

const anthropic = (type: string, message: string): string =>
  JSON.stringify({ type: "error", error: { type, message }, request_id: "req_011CRn8Wv3" });

const openai = (message: string, type: string, code: string | null, extra: Record<string, unknown> = {}): string =>
  JSON.stringify({ error: { message, type, param: null, code, ...extra } });

const google = (message: string, code: number, status: string): string => JSON.stringify({ error: { code, message, status } });

const ANTHROPIC: Record<number, readonly string[]> = {
  400: [
    anthropic("invalid_request_error", "messages: text content blocks must be non-empty"),
    anthropic("invalid_request_error", "prompt is too long: 211873 tokens > 200000 maximum"),
    anthropic("invalid_request_error", "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."),
    anthropic("invalid_request_error", "You have reached your specified API usage limits. You will regain access on 2027-01-01 at 00:00 UTC."),
    anthropic("invalid_request_error", "This organization has been disabled."),
  ],
  401: [
    anthropic("authentication_error", "invalid x-api-key"),
    anthropic("authentication_error", "OAuth token has expired. Please obtain a new token or refresh your existing token."),
    anthropic("authentication_error", "Invalid authentication credentials"),
    anthropic("authentication_error", "Invalid bearer token"),
  ],
  402: [anthropic("billing_error", "There is an issue with your billing or payment information.")],
  403: [
    anthropic("permission_error", "Your API key does not have permission to use the specified resource."),
    anthropic("permission_error", "OAuth token has been revoked. Please obtain a new token."),
    anthropic("forbidden", "Request not allowed"),
    anthropic("permission_error", "OAuth authentication is currently not allowed for this organization."),
  ],
  404: [anthropic("not_found_error", "model: {model}"), anthropic("not_found_error", "The requested resource could not be found.")],
  413: [anthropic("request_too_large", "Request exceeds the maximum size"), "<html><head><title>413 Request Entity Too Large</title></head></html>"],
  429: [
    anthropic("rate_limit_error", "This request would exceed your organization's rate limit of 50,000 input tokens per minute."),
    anthropic("rate_limit_error", "Number of request tokens has exceeded your per-minute rate limit"),
    anthropic("rate_limit_error", "This request would exceed your account's rate limit. Please try again later."),
    anthropic("rate_limit_error", "Extra usage is required for long context requests."),
  ],
  500: [
    anthropic("api_error", "Internal server error"),
    anthropic("api_error", "An unexpected error has occurred internal to our systems."),
    "Internal Server Error",
  ],
  503: [
    anthropic("api_error", "Service temporarily unavailable"),
    "upstream connect error or disconnect/reset before headers. reset reason: connection termination",
  ],
  529: [anthropic("overloaded_error", "Overloaded"), anthropic("overloaded_error", "The API is temporarily overloaded.")],
};

const OPENAI: Record<number, readonly string[]> = {
  400: [
    openai("Invalid type for 'input': expected a string, but got an object instead.", "invalid_request_error", "invalid_type"),
    openai("Your input exceeds the context window of this model. Please adjust your input and try again.", "invalid_request_error", "context_length_exceeded"),
    openai("The requested model '{model}' does not exist.", "invalid_request_error", "model_not_found"),
    JSON.stringify({ detail: "The '{model}' model is not supported when using this account." }),
  ],
  401: [
    openai("Incorrect API key provided: sk-ab***wxyz. You can find your API key at https://platform.openai.com/account/api-keys.", "invalid_request_error", "invalid_api_key"),
    openai("Missing bearer or basic authentication in header", "invalid_request_error", null),
    openai("Your authentication token has been invalidated. Please try signing in again.", "invalid_request_error", "token_invalidated"),
    JSON.stringify({ detail: "Could not validate credentials" }),
    openai("Provided authentication token is expired. Please try signing in again.", "invalid_request_error", "token_expired"),
  ],
  402: [openai("You have exceeded your premium request allowance.", "quota_exceeded", "quota_exceeded")],
  403: [
    openai("You have insufficient permissions for this operation. Missing scopes: api.responses.write.", "invalid_request_error", "missing_scope"),
    openai("Country, region, or territory not supported", "request_forbidden", "unsupported_country_region_territory"),
    openai("Project `proj_abc` does not have access to model `{model}`", "invalid_request_error", "model_not_found"),
    "Forbidden",
  ],
  404: [
    openai("The model `{model}` does not exist or you do not have access to it.", "invalid_request_error", "model_not_found"),
    JSON.stringify({ detail: "Not Found" }),
  ],
  413: [openai("Request too large for {model}", "invalid_request_error", "request_too_large"), "Payload Too Large"],
  429: [
    openai("Rate limit reached for {model} in organization org-abc on tokens per min (TPM): Limit 30000, Used 29800, Requested 1200. Please try again in 2s.", "tokens", "rate_limit_exceeded"),
    openai("You exceeded your current quota, please check your plan and billing details.", "insufficient_quota", "insufficient_quota"),
    openai("The usage limit has been reached", "usage_limit_reached", null, { plan_type: "plus", resets_at: 1830000000 }),
    openai("Too Many Requests", "requests", "rate_limit_exceeded"),
  ],
  500: [
    openai("The server had an error while processing your request. Sorry about that!", "server_error", null),
    openai("The server had an error processing your request. You can retry your request.", "server_error", "server_error"),
    "Internal Server Error",
  ],
  503: [
    openai("The engine is currently overloaded, please try again later", "service_unavailable", null),
    openai("That model is currently overloaded with other requests.", "server_error", "server_is_overloaded"),
    "<html><body><h1>503 Service Unavailable</h1>No server is available to handle this request.</body></html>",
  ],
  529: [openai("Overloaded", "overloaded_error", "overloaded"), "Site is overloaded"],
};

const GEMINI: Record<number, readonly string[]> = {
  400: [
    google("Request contains an invalid argument.", 400, "INVALID_ARGUMENT"),
    google("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", 400, "INVALID_ARGUMENT"),
    google("API key not valid. Please pass a valid API key.", 400, "INVALID_ARGUMENT"),
  ],
  401: [google("Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.", 401, "UNAUTHENTICATED")],
  403: [
    google("Permission denied: Consumer 'api_key' has been suspended.", 403, "PERMISSION_DENIED"),
    google("Generative Language API has not been used in project 1 before or it is disabled.", 403, "PERMISSION_DENIED"),
  ],
  404: [google("models/{model} is not found for API version v1beta, or is not supported for generateContent.", 404, "NOT_FOUND")],
  429: [
    google("Resource has been exhausted (e.g. check quota).", 429, "RESOURCE_EXHAUSTED"),
    google("You exceeded your current quota, please check your plan and billing details.", 429, "RESOURCE_EXHAUSTED"),
  ],
  500: [google("An internal error has occurred. Please retry.", 500, "INTERNAL")],
  503: [google("The model is overloaded. Please try again later.", 503, "UNAVAILABLE")],
};

const BODIES: Record<Dialect, Record<number, readonly string[]>> = {
  "anthropic-messages": ANTHROPIC,
  "openai-responses": OPENAI,
  "openai-chat": OPENAI,
  gemini: GEMINI,
};

function fallback(dialect: Dialect, status: number): string {
  if (dialect === "gemini") return google(`status ${status}`, status, "UNKNOWN");
  return dialect === "anthropic-messages" ? anthropic("api_error", `status ${status}`) : openai(`status ${status}`, "server_error", null);
}
