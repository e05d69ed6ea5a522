import { z } from "zod";
import { IngestError, messageOf } from "../../shared/errors.ts";
import type { DocumentMetadata } from "../../shared/types.ts";
import { composeYaml } from "../../text/compose-yaml.ts";
import type { WrittenBlocks } from "../block-writer.ts";
import { type FormatResult, isoDayOf } from "./parsed.ts";

/** Matches YAML between `---` lines at the top of a file. */
const FENCED = /^\ufeff?(?<blank>(?:[ \t]*\r?\n)*)---[ \t]*\r?\n(?<yaml>[\s\S]*?)(?<=\n)(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/;
/** Matches the line above TOML front matter, which is not supported. */
const TOML = /^\s*\+{3}[ \t]*(?:\r?\n|$)/;
/** Matches TOML front matter that limits who may see the document. */
const RESTRICTING_TOML = /^\s*\+{3}[ \t]*\r?\n(?:(?!\+{3})[^\n]*\n)*?[ \t]*["']?(?:access|tenant)["']?[ \t]*=/;

const text = z
  .union([z.string(), z.number(), z.boolean()])
  .nullish()
  .transform((value) => String(value ?? "").trim() || null);
const date = z
  .string()
  .nullish()
  .transform((value) => value?.trim() || null)
  .refine((value) => value === null || isoDayOf(value) !== null, "must be a date such as 2019-04-30")
  .transform((value) => value?.slice(0, 10) ?? null);
/** Ignores unknown values, because many sites use `type` and `authority` for other purposes. */
const oneOf = <const T extends readonly [string, ...string[]]>(values: T) => z.enum(values).nullable().catch(null);

const frontMatterSchema = z.looseObject({
  ...{ title: text, display_title: text, description: text, url: text, canonical: text, as_of: date, date: date.catch(null) },
  ...{ topic: text, subtopic: text, access: text, tenant: text },
  authority: oneOf(["regulation", "agency", "summary"]),
  type: oneOf(["policy", "definition", "rating_table"]),
});

type FrontMatter = ReturnType<typeof frontMatter>;

/** Combines a text with its front matter. Front matter takes precedence over metadata that was found in the text (`found`). */
export function withFrontMatter(
  written: WrittenBlocks,
  { metadata, title, access, tenant }: FrontMatter,
  found: { readonly title: string } & Partial<DocumentMetadata>,
): FormatResult {
  const description = metadata.description ?? found.description ?? null;
  const [url, asOf] = [metadata.url ?? found.url ?? null, metadata.asOf ?? found.asOf ?? null];
  return { ...written, metadata: { ...metadata, title: title ?? found.title, description, url, asOf }, access, tenant };
}

/**
 * Parses YAML between `---` lines at the top of a file. Without front matter, the metadata is empty.
 * @throws IngestError `bad_front_matter`
 */
export function readFrontMatter(source: string): FrontMatter {
  if (TOML.test(source)) throw tomlFrontMatter();
  // Below empty lines, `---` may be a horizontal rule. There, front matter with syntax errors counts as text.
  return FENCED.exec(source)?.groups?.blank === "" ? fencedFrontMatter(source) : readLooseFrontMatter(source);
}

/**
 * Parses front matter of a file whose format does not define it, such as plain text. If the front matter is invalid or
 * has no known key, it is treated as text.
 * @throws IngestError `bad_front_matter` for TOML with an access label or a tenant, because neither would apply if the
 * TOML were treated as text
 */
export function readLooseFrontMatter(source: string): FrontMatter {
  if (RESTRICTING_TOML.test(source)) throw tomlFrontMatter();
  try {
    const front = fencedFrontMatter(source);
    const values = [front.title, front.access, front.tenant, ...Object.values(front.metadata)];
    return values.some(Boolean) ? front : noFrontMatter(source);
  } catch (error) {
    if (error instanceof IngestError) return noFrontMatter(source);
    throw error;
  }
}

function fencedFrontMatter(source: string): FrontMatter {
  const match = FENCED.exec(source);
  if (match === null) return noFrontMatter(source);
  const { yaml = "" } = match.groups ?? {};
  const parsed = frontMatterSchema.safeParse(yamlValues(yaml));
  if (parsed.success) return frontMatter(parsed.data, match[0].length);
  const issue = parsed.error.issues[0];
  const key = String(issue?.path[0] ?? "");
  const at = yaml.search(new RegExp(`^${key.replace(/\W/g, "\\$&")}\\s*:`, "m"));
  const reason = key === "" ? "it contains no `key: value` lines" : `${key}: ${issue?.message ?? "wrong value"}`;
  throw badFrontMatter(lineAt(yaml, at), reason, parsed.error);
}

function noFrontMatter(source: string): FrontMatter {
  return frontMatter(frontMatterSchema.parse({}), source.startsWith("\ufeff") ? 1 : 0);
}

/**
 * Converts parsed front matter to metadata.
 * @param bodyStart offset at which the text after the front matter begins
 */
function frontMatter(found: z.infer<typeof frontMatterSchema>, bodyStart: number) {
  const { description, authority, topic, subtopic, type, access, tenant } = found;
  const title = found.title ?? found.display_title;
  const url = found.url ?? found.canonical;
  const asOf = found.as_of ?? found.date ?? onlyDay(found);
  const metadata = { title: title ?? "", description, url, asOf, authority, topic, subtopic, type };
  // `title` is `null` if the front matter states none. The title is then taken from the text.
  return { title, metadata, access, tenant, bodyStart };
}

/** Returns the date if exactly one value of the front matter is a date, e.g. that of `last_reviewed`; otherwise `null`. */
function onlyDay(found: Readonly<Record<string, unknown>>): string | null {
  const days = Object.values(found).flatMap((value) => isoDayOf(String(value)) ?? []);
  return days.length === 1 ? (days[0] ?? null) : null;
}

/** Parses YAML without converting dates, because the day of a time stamp would depend on the time zone. */
function yamlValues(yaml: string): unknown {
  try {
    const [document] = composeYaml(yaml, { uniqueKeys: false }).documents;
    const [problem] = document?.errors ?? [];
    if (problem !== undefined) throw badFrontMatter(lineAt(yaml, problem.pos[0]), problem.message, problem);
    return document?.toJS({ maxAliasCount: 100 }) ?? {};
  } catch (error) {
    if (error instanceof IngestError && error.code === "bad_front_matter") throw error;
    const isTooDeep = error instanceof IngestError || messageOf(error).includes("call stack");
    const line = error instanceof IngestError ? Number(error.data.line) + 1 : 2;
    throw badFrontMatter(line, isTooDeep ? "it is nested too deep" : messageOf(error), error);
  }
}

/** Converts an offset in the YAML to a line number in the file, where the first line is `---`. */
function lineAt(body: string, offset: number): number {
  return body.slice(0, Math.max(0, offset)).split("\n").length + 1;
}

function badFrontMatter(line: number, reason: string, cause: unknown): IngestError {
  const message = `front matter, line ${line}: ${reason}: correct the YAML between the --- lines, or remove it`;
  return new IngestError("bad_front_matter", message, { line }, { cause });
}

function tomlFrontMatter(): IngestError {
  return new IngestError("bad_front_matter", "front matter between +++ lines (TOML) is not supported: write it as YAML between --- lines");
}
