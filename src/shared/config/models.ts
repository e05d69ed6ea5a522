import { z } from "zod";
import { DEFAULT_DTYPE, DTYPES, HUB_NAME, POOLINGS } from "../../models/hub/catalog.ts";
import { optional, setting } from "../../text/validate.ts";

/** Timeout of a call to a model or encoder endpoint, in milliseconds without a received byte. */
export const DEFAULT_MODEL_TIMEOUT_MS = 30_000;
/** Number of retries after the first attempt. The pause starts at half a second and doubles. */
export const DEFAULT_MODEL_RETRIES = 2;
/** Sampling temperature of the model that writes: low, for facts, as in the published `book` design (docs/profiles.md). */
export const DEFAULT_MODEL_TEMPERATURE = 0.3;
/** Maximum tokens of a model's reply: five times the longest answer observed. The rest is room for the model's reasoning. */
export const DEFAULT_REPLY_TOKENS = 2000;

export const httpUrl = z.url({
  protocol: /^https?$/,
  error: ({ input }) => (input === undefined ? "missing: set an http(s) URL" : "must be an http(s) URL"),
});

export const hubName = z.string().regex(HUB_NAME, "must be a name or owner/name");
const text = z.string().min(1);
const apiKey = setting(z.string(), "", "API key, sent as bearer token; may be empty for a local server");
const calls = {
  timeout_ms: setting(z.int().min(100), DEFAULT_MODEL_TIMEOUT_MS, "A call fails after this many milliseconds without receiving a byte"),
  retries: setting(z.int().min(0).max(10), DEFAULT_MODEL_RETRIES, "Retries after a failed call; the delay starts at 0.5 s and doubles"),
};

const modelFields = z.strictObject({
  base_url: optional(httpUrl, "OpenAI-compatible endpoint, such as https://api.openai.com/v1. Either this or `local` is required"),
  local: optional(
    text,
    "GGUF file to run on this machine by `node-llama-cpp`, which you install yourself (docs/models.md); then `small` is not needed",
  ),
  api_key: apiKey,
  small: optional(text, "Model for simple questions; required with `base_url`"),
  large: optional(text, "Model for complex questions; same as `small` when absent"),
  ...calls,
  temperature: setting(
    z.number().min(0).max(2),
    DEFAULT_MODEL_TEMPERATURE,
    "Sampling temperature; lower values stay closer to the sources",
  ),
  reply_tokens: setting(
    z.int().min(50),
    DEFAULT_REPLY_TOKENS,
    "Maximum tokens per reply, including reasoning tokens. Raise it for a model that reasons at length, lower it for one that writes too much",
  ),
  prompt_tokens: optional(
    z.int().min(500),
    "Maximum tokens per prompt, counted with cl100k, for a model with a small context. Passages are then cut to the parts relevant to the question. When absent: the profile's limit (2,200 to 10,000)",
  ),
});

export const modelSchema = modelFields.superRefine(({ base_url, local, small }, context) => {
  const fault = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
  if (base_url === undefined && local === undefined)
    fault("base_url", "missing: set an http(s) URL, or `local` to the path of a GGUF file");
  else if (base_url !== undefined && local !== undefined) fault("local", "must not be set together with `base_url`");
  else if (local === undefined && small === undefined) fault("small", "missing: set the name of a model");
});

export const embeddingsSchema = z.strictObject({
  base_url: httpUrl.describe("OpenAI-compatible endpoint"),
  api_key: apiKey,
  model: text.describe("Name of the embedding model, such as text-embedding-3-small"),
  batch: setting(z.int().min(1).max(2048), 64, "Maximum number of texts per call"),
  ...calls,
});

export const hubSchema = z.strictObject({
  hub: hubName.describe("Hugging Face model with ONNX weights, such as all-MiniLM-L6-v2; `sourcebound models pull` downloads it"),
  dtype: setting(z.enum(DTYPES), DEFAULT_DTYPE, "Precision of the weights"),
  pooling: optional(z.enum(POOLINGS), "How token vectors are pooled into one; taken from the model's files when absent"),
});

export const webSearchSchema = z
  .strictObject({
    type: z
      .enum(["searxng", "brave", "tavily"])
      .describe("SearXNG needs `url`, with JSON enabled as an output format; Brave and Tavily need `api_key`"),
    url: optional(httpUrl, "Address of the service, which may be local; the official address for Brave and Tavily when absent"),
    api_key: setting(z.string(), "", "API key for Brave or Tavily, or for a SearXNG instance that requires one"),
    /** Number of uncertain passages per question to check on the web. Each costs a search and a few pages. */
    passages: setting(z.int().min(1).max(8), 3, "Maximum uncertain passages to look up per question, best first"),
    /** Milliseconds for the whole web check of a question, because the user is waiting. */
    timeout_ms: setting(z.int().min(100), 8000, "Timeout for all web requests of one question, in milliseconds"),
  })
  .superRefine(({ type, url, api_key }, context) => {
    const fault = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
    if (type === "searxng" && url === undefined) fault("url", "missing: set the address of the SearXNG instance");
    if (url !== undefined && hasUserName(url)) fault("url", "must not contain a user name or password: use `api_key`");
    if (type !== "searxng" && api_key === "") fault("api_key", `missing: ${type} needs an API key`);
  });

/** Returns whether a URL contains a user name. Such a URL would show a password in messages and logs. */
export function hasUserName(url: string): boolean {
  return /^[^/]*\/\/[^/?#]*@/.test(url);
}
