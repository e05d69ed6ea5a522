import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { parse as parseYaml } from "yaml";
import { z } from "zod";
import { DTYPES } from "../models/hub/catalog.ts";
import { didYouMean } from "../text/spelling.ts";
import { describeIssues, group, type Leaf, leavesOf, optional, setting } from "../text/validate.ts";
import { experimentsSchema } from "./config/experiments.ts";
import { embeddingsSchema, httpUrl, hubName, hubSchema, modelSchema, webSearchSchema } from "./config/models.ts";
import { serverSchema } from "./config/server.ts";
import { databaseSchema, searchSchema } from "./config/servers.ts";
import { ConfigError, messageOf } from "./errors.ts";

/** Domain pack without knowledge of any subject, for documents of any kind. */
export const DEFAULT_DOMAIN = "documents";
/** Access labels of requests and documents that set none. */
export const DEFAULT_ACCESS = ["public"] as const;
/** Maximum characters of a question, as in the published `spark` design (docs/profiles.md). */
export const DEFAULT_QUESTION_CHARACTERS = 500;
/**
 * Maximum bytes of a file, enough for a scanned book as PDF. The setting cannot exceed this value. Text files have a
 * lower limit of their own.
 */
export const DEFAULT_FILE_BYTES = 200 * 1024 * 1024;
/** Retention of diagnostic reports in days. Documents are usually revised once a quarter. */
export const DEFAULT_REPORT_DAYS = 90;

export const configSchema = z.strictObject({
  data_dir: setting(
    z.string().min(1),
    ".sourcebound",
    "Folder of the database and the search index (`index/`), which hold everything ingested; relative to the working directory",
  ),
  database: databaseSchema.optional(),
  search: searchSchema.optional(),
  domains_dir: optional(
    z.string().min(1),
    "Folder of your own domain packs, in addition to the bundled ones; your pack overrides a bundled pack of the same name",
  ),
  domain: setting(z.string().min(1), DEFAULT_DOMAIN, "Domain used when a request names none"),
  profile: optional(z.string().min(1), "Profile used when a request names none; the domain's default when absent"),
  grade: setting(
    z.enum(["profile", "always"]),
    "profile",
    "Which answers get a `report` with the five metrics of the profile `validator`: `profile`: only answers under profiles that compute these metrics; `always`: all answers",
  ),
  access: setting(
    z.array(z.string().min(1)).min(1),
    [...DEFAULT_ACCESS],
    "Access labels of commands, of requests without a key, and of keys without labels of their own: they see only documents with one of these labels",
  ),
  answer_from: optional(
    z.number().min(0).max(1),
    "Minimum confidence to answer if there is no calibration. A lower value answers more questions, and more of them wrongly (docs/evaluate.md). The default of the shipped weights when absent",
  ),
  write_from: optional(
    z.number().min(0).max(1),
    "Minimum confidence at which the configured language model is called; below it, the question is refused without a call. The profile's value when absent (`sourcebound`: 0.6). Profiles that do not decide by confidence ignore it",
  ),
  write: optional(
    z.enum(["answer", "quotes"]),
    "What a configured model does: `answer` writes sentences, which are checked; `quotes` selects the quotes that answer, which are shown byte for byte. The profile's value when absent (`quotes` under `sourcebound`, `answer` under the source designs)",
  ),
  question_characters: setting(z.int().min(1).max(100_000), DEFAULT_QUESTION_CHARACTERS, "Maximum characters of a question"),
  file_bytes: setting(z.int().min(1).max(DEFAULT_FILE_BYTES), DEFAULT_FILE_BYTES, "Maximum bytes of a file; larger ones are skipped"),
  batch: group("Many questions at once: `ask --file` and `POST /v1/batch`", {
    /** Questions of one batch that run at the same time. The number is below the server's limit, so that other users need not wait. */
    parallel: setting(
      z.int().min(1).max(256),
      4,
      "Questions of one batch that are answered at the same time. Set 1 for a model that serves one request at a time",
    ),
    /** Maximum questions of one batch over HTTP. Answering so many takes minutes, in which the connection stays open. */
    questions: setting(z.int().min(1), 1000, "Maximum questions of one `POST /v1/batch`"),
  }),
  server: serverSchema,
  session: group("Sessions, so that follow-up questions work", {
    /** Number of earlier question–answer pairs that a question may refer to, as in the published `book` design (docs/profiles.md). */
    turns: setting(z.int().min(0).max(50), 5, "Earlier turns (question and answer) that a follow-up may refer to"),
    /** Minutes without a question after which a session is deleted, as in the published `book` design (docs/profiles.md). */
    idle_minutes: setting(z.number().positive(), 30, "Minutes of inactivity after which a session is deleted"),
    /** Maximum number of stored sessions, enough for half an hour on a busy site. A session takes about 10 kB, all of them up to 500 MB. */
    most: setting(z.int().min(1), 50_000, "Maximum number of sessions; the longest inactive one is deleted first"),
  }),
  privacy: setting(
    z.enum(["redacted", "ephemeral"]),
    "redacted",
    "`redacted` stores questions and answers without personal data; `ephemeral` stores no text or vectors, only keyed hashes and counts. A request may choose the stricter setting, never the laxer one",
  ),
  retention: group(
    "Expired records are deleted when new questions are stored, hourly by `serve`, and by `sessions purge`. Sessions follow `session.idle_minutes`, cached answers `cache.hours`, reports `reports.days`",
    {
      /** Retention of interactions in days: enough for reviews and for a comparison of two quarters. */
      interactions_days: setting(z.number().positive(), 180, "Days to keep questions with answers and verdicts"),
      /**
       * Maximum number of stored interactions that nobody has reviewed. The oldest are deleted first. An interaction with its
       * answer takes about 30 kB, all of them up to 600 MB.
       */
      interactions_rows: setting(
        z.int().min(1),
        20_000,
        "Maximum number of stored questions that nobody has reviewed, over all domains, not counting those whose answers the cache serves. The oldest are deleted first, even before `interactions_days`",
      ),
      audit_days: setting(z.number().positive(), 730, "Days to keep the audit log of reviews, corrections and deletions"),
    },
  ),
  cache: group("Cache of answers", {
    enabled: setting(z.boolean(), true, "Serve a stored answer to the same or an equivalent question, after checking it again"),
    /** Maximum number of cached answers. The least recently used one is evicted first. The published `spark` design has the same number. */
    entries: setting(z.int().min(0), 10_000, "Maximum stored answers; the least recently used is deleted first"),
    /**
     * Hours for which a cached answer may be served. Independently of this limit, every cache hit compares the versions of
     * the cited documents.
     */
    hours: setting(z.number().positive(), 24 * 7, "Hours for which a stored answer may be served"),
    serve_flagged: setting(
      z.boolean(),
      false,
      "Serve stored answers although a reviewer flagged them, with the warning `flagged`. Applies only to profiles with the graph cache, such as `seven-layer`",
    ),
    rewordings: setting(
      z.enum(["pack", "always", "never"]),
      "pack",
      "Serve a stored answer to a paraphrase: `pack` if the domain pack sets `semantic_cache` or the profile's design requires it, `always` in every domain, or `never`",
    ),
  }),
  reports: group("Diagnostic reports, which the command `sourcebound reports` lists", {
    enabled: setting(
      z.boolean(),
      true,
      "Keep a diagnostic report for every question that is refused, answered with low confidence or answered with a warning",
    ),
    days: setting(z.number().positive().max(36_500), DEFAULT_REPORT_DAYS, "Days to keep a report"),
    /** Maximum number of reports per tenant of a domain. The oldest are deleted first. Each takes about 7 kB. */
    entries: setting(z.int().min(1), 10_000, "Maximum reports per tenant of a domain; the oldest are deleted first"),
  }),
  experiments: experimentsSchema,
  model: optional(modelSchema, "Language model that selects quotes or writes answers; when absent, quotes are selected by rules"),
  verify: group("Scoring of passages before the answer is written", {
    by: setting(
      z.enum(["rules", "model"]),
      "rules",
      "Scorer of passages: `rules`, or `model` (one call of the small model). Passages that the model cannot judge keep the scores of the rules. Used by profiles that weigh relevance (`sourcebound`, `vg-rag`)",
    ),
    /** Milliseconds after which a verifying model is cancelled, because the user is waiting. Rule-based scores then replace the model's. */
    timeout_ms: setting(z.int().min(100), 8000, "Milliseconds after which the scores of the rules are used instead"),
  }),
  support: setting(
    z.union([
      z.enum(["embedded", "model"]),
      z.strictObject({
        hub: hubName.describe(
          "Hugging Face model for factual consistency in ONNX format, such as `vectara/hallucination_evaluation_model`",
        ),
        dtype: optional(z.enum(DTYPES), "Precision of the weights; `q8` when absent"),
      }),
    ]),
    "embedded",
    "Scorer that rates whether quotes support a written sentence: `embedded` (bundled), `model` (the small model of `model`, one call per sentence), or, with `hub`, a Hugging Face model on this machine (HHEM, MiniCheck or NLI)",
  ),
  embeddings: setting(
    z.union([z.enum(["embedded", "none"]), hubSchema, embeddingsSchema]),
    "embedded",
    "Dense encoder: `embedded` (bundled), `none` (search by words only), a Hugging Face model on this machine, or an OpenAI-compatible endpoint",
  ),
  models_dir: optional(
    z.string().min(1),
    "Folder of Hugging Face models in the layout of transformers.js (`OWNER/NAME/config.json`, `tokenizer.json`, `tokenizer_config.json`, `onnx/model_quantized.onnx`); `models` in the data folder when absent. Without network access, copy the files by hand",
  ),
  web_search: optional(
    webSearchSchema,
    "Web search that checks uncertain passages; when absent, the web is never used. Words from questions and documents are sent to it",
  ),
  hub_url: setting(httpUrl, "https://huggingface.co", "Hugging Face Hub or a mirror, used by `models pull`"),
});

export type Config = z.infer<typeof configSchema>;

/** Setting → environment variable, for variables whose names do not follow the rule of `ENVIRONMENT_VARIABLES`. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  "database.url": "DATABASE_URL",
  "search.type": "SOURCEBOUND_SEARCH",
  "web_search.type": "SOURCEBOUND_WEB_SEARCH",
  "cache.enabled": "SOURCEBOUND_CACHE",
};

/**
 * Environment variable → setting. The name consists of `SOURCEBOUND_` and the path of the setting in upper case, without a
 * leading `server`, e.g. `cache.hours` → `SOURCEBOUND_CACHE_HOURS`. The environment overrides the configuration file.
 */
export const ENVIRONMENT_VARIABLES: ReadonlyMap<string, Leaf> = new Map(
  leavesOf(configSchema).map((leaf) => {
    const path = leaf.path.join(".");
    const name = path
      .replace(/^server\./, "")
      .replaceAll(".", "_")
      .toUpperCase();
    return [SHORT_NAMES[path] ?? `SOURCEBOUND_${name}`, leaf];
  }),
);

/** Settings that are paths. */
const PATHS = ["data_dir", "domains_dir", "models_dir", "model.local", "search.ca", "server.tls.cert", "server.tls.key"] as const;

/** Variables with the prefix `SOURCEBOUND_` that set no configuration. `./run`, tests and measurements read them. */
const OTHER_VARIABLES = ["SOURCEBOUND_DATA", "SOURCEBOUND_CONFIG", "SOURCEBOUND_COMMAND", "SOURCEBOUND_TEST"];

export const CONFIG_FILES = ["sourcebound.config.yaml", "sourcebound.config.yml", "sourcebound.config.json"] as const;

export type Settings = Readonly<Record<string, unknown>>;

export interface LoadConfigOptions {
  /** Folder of the configuration file. Relative paths are resolved against it. */
  readonly cwd: string;
  /** @example process.env */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Values that override file and environment, such as command-line options. */
  readonly overrides?: Settings;
  /** Top-level values for settings that neither file nor environment set. */
  readonly defaults?: Settings;
}

/**
 * Reads `sourcebound.config.yaml` (or `.json`), then the environment, then overrides; later values replace earlier
 * ones. Makes all paths absolute.
 * @throws ConfigError when a file does not parse, a key is unknown (with the most similar known key) or a value is
 * invalid
 */
export function loadConfig({ cwd, env, overrides = {}, defaults = {} }: LoadConfigOptions): Config {
  const path = findConfigFile(cwd, env.SOURCEBOUND_CONFIG);
  const merged = { ...defaults, ...(path === null ? {} : readConfigFile(path)) };
  applyEnvironment(merged, env);
  for (const [key, value] of Object.entries(overrides)) if (value !== undefined) setIn(merged, key.split("."), value);
  const parsed = configSchema.safeParse(merged);
  if (!parsed.success) {
    const faults = describeIssues(parsed.error, configSchema);
    throw new ConfigError("config_invalid", `${path ?? "Configuration"} is not valid: ${faults.join("; ")}`, { path, faults });
  }
  for (const setting of PATHS) {
    const value = setting.split(".").reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], parsed.data);
    if (typeof value === "string") setIn(parsed.data, setting.split("."), resolve(cwd, value));
  }
  return parsed.data;
}

/**
 * Returns the configuration with an embedded database and search engine in `dataDir`. Trial runs use it, because they must
 * not change the configured database.
 */
export function embeddedIn(config: Config, dataDir: string): Config {
  const { database: _elsewhere, search: _cluster, ...rest } = config;
  return { ...rest, data_dir: dataDir };
}

/** Returns the folder for Hugging Face models, and the folders in which their runtime is searched. A new one is installed in the first. */
export function hubFolders(config: Pick<Config, "data_dir" | "models_dir">): { modelsDir: string; runtimeDirs: readonly [string, string] } {
  return {
    modelsDir: config.models_dir ?? join(config.data_dir, "models"),
    runtimeDirs: [join(config.data_dir, "hub-runtime"), join(homedir(), ".sourcebound", "hub-runtime")],
  };
}

/** Returns the configuration of this process. No other function reads `process.env` or the working directory. */
export function loadProcessConfig(overrides: Settings = {}): Config {
  return loadConfig({ cwd: process.cwd(), env: process.env, overrides });
}

function findConfigFile(cwd: string, named: string | undefined): string | null {
  if (named !== undefined && named !== "") {
    const path = resolve(cwd, named);
    if (!existsSync(path))
      throw new ConfigError("config_missing", `SOURCEBOUND_CONFIG points to ${path}, which does not exist. Correct or unset it.`, { path });
    return path;
  }
  const found = CONFIG_FILES.map((name) => join(cwd, name)).filter((path) => existsSync(path));
  if (found.length > 1) {
    throw new ConfigError("config_ambiguous", `Found two configuration files: ${found.join(" and ")}. Keep one of them.`, { found });
  }
  return found[0] ?? null;
}

function readConfigFile(path: string): Record<string, unknown> {
  let value: unknown;
  try {
    const text = readFileSync(path, "utf8");
    value = path.endsWith(".json") ? JSON.parse(text) : parseYaml(text);
  } catch (cause) {
    throw new ConfigError("config_unreadable", `${path} could not be read: ${messageOf(cause)}`, { path }, { cause });
  }
  if (value === null || value === undefined) return {};
  if (typeof value !== "object" || Array.isArray(value)) {
    throw new ConfigError("config_invalid", `${path} must contain keys and values, such as \`domain: documents\`.`, { path });
  }
  return structuredClone(value) as Record<string, unknown>;
}

function applyEnvironment(target: Record<string, unknown>, env: LoadConfigOptions["env"]): void {
  const known = [...ENVIRONMENT_VARIABLES.keys(), ...OTHER_VARIABLES];
  for (const [name, value] of Object.entries(env)) {
    const leaf = ENVIRONMENT_VARIABLES.get(name);
    if ((leaf === undefined && !name.startsWith("SOURCEBOUND_")) || value === undefined || value === "") continue;
    if (leaf !== undefined) setIn(target, leaf.path, fromText(leaf.schema, value));
    else if (!OTHER_VARIABLES.includes(name)) {
      const message = `Unknown environment variable ${name}.${didYouMean(name, known)} Correct its name or unset it.`;
      throw new ConfigError("config_invalid", message, { name });
    }
  }
}

/** Converts an environment value to a number, boolean or list if its setting has that type. */
function fromText(schema: Leaf["schema"], value: string): unknown {
  const isList = schema instanceof z.ZodArray || (schema instanceof z.ZodUnion && schema.options.some((one) => one instanceof z.ZodArray));
  if (isList) return value.split(",").map((one) => one.trim());
  if (schema instanceof z.ZodBoolean) return /^(1|true|on|yes)$/i.test(value) ? true : /^(0|false|off|no)$/i.test(value) ? false : value;
  return schema instanceof z.ZodNumber && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
}

function setIn(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let at = target;
  for (const key of path.slice(0, -1)) {
    const child = at[key];
    const next = typeof child === "object" && child !== null && !Array.isArray(child) ? (child as Record<string, unknown>) : {};
    at[key] = next;
    at = next;
  }
  at[path.at(-1) ?? ""] = value;
}
