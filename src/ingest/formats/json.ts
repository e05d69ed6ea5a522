import { z } from "zod";
import { IngestError, messageOf } from "../../errors.ts";
import { composeMaps } from "../../text/source-map.ts";
import type { SourceMapData, TextRange } from "../../types.ts";
import { valueRanges } from "./json-ranges.ts";
import { parseMarkdownText } from "./markdown.ts";
import { type FormatResult, titleOf } from "./parsed.ts";

const optionalText = z
  .string()
  .nullish()
  .transform((value) => value?.trim() || null);

/** One curated chunk. Other keys are allowed and ignored. */
const entrySchema = z.looseObject({
  entry_id: z.string().trim().min(1),
  topic: optionalText,
  subtopic: optionalText,
  content: z.string(),
  url: optionalText,
  type: z.enum(["policy", "definition", "rating_table"]),
  title: optionalText,
  description: optionalText,
  as_of: z.iso.date().nullish(),
  authority: z.enum(["regulation", "agency", "summary"]).nullish(),
  access: optionalText,
  tenant: optionalText,
});

export interface JsonEntry extends FormatResult {
  readonly entryId: string;
}

/** A JSON file of one entry or an array of entries; each entry is a document of its own whose map leads into the file. */
export function parseJson(source: string): JsonEntry[] {
  const bom = source.startsWith("\ufeff") ? 1 : 0;
  const value = parseValue(source.slice(bom), 1);
  const isArray = Array.isArray(value);
  const values: readonly unknown[] = isArray ? value : [value];
  const ranges = valueRanges(source, bom, "content", isArray);
  return readEntries(source, values, ranges);
}

/** One entry per line. */
export function parseJsonLines(source: string): JsonEntry[] {
  const values: unknown[] = [];
  const ranges: (TextRange | null)[] = [];
  let number = 0;
  for (const match of source.matchAll(/[^\n]*\n?/g)) {
    number++;
    const skipped = match[0].startsWith("\ufeff") ? 1 : 0;
    if (match[0].slice(skipped).trim() === "") continue;
    values.push(parseValue(match[0].slice(skipped), number));
    ranges.push(valueRanges(source, match.index + skipped, "content", false)[0] ?? null);
  }
  return readEntries(source, values, ranges);
}

function readEntries(source: string, values: readonly unknown[], ranges: readonly (TextRange | null)[]): JsonEntry[] {
  const seen = new Map<string, number>();
  return values.map((value, index) => {
    const parsed = entrySchema.safeParse(value);
    if (!parsed.success) throw wrongShape(index, parsed.error);
    const { data } = parsed;
    const first = seen.get(data.entry_id);
    if (first !== undefined) {
      const message = `entries ${first} and ${index} have the same entry_id "${data.entry_id}": give each its own`;
      throw new IngestError("duplicate_entry", message, { first, index, entry_id: data.entry_id });
    }
    seen.set(data.entry_id, index);
    const written = parseMarkdownText(data.content, 0);
    const literal = ranges[index] ?? { start: 0, end: 0 };
    return {
      ...written,
      sourceMap: composeMaps(written.sourceMap, literalMap(source, literal)),
      entryId: data.entry_id,
      metadata: {
        title: data.title ?? titleOf(written) ?? data.subtopic ?? data.topic ?? data.entry_id,
        description: data.description,
        url: data.url,
        asOf: data.as_of ?? null,
        authority: data.authority ?? null,
        topic: data.topic,
        subtopic: data.subtopic,
        type: data.type,
      },
      access: data.access,
      tenant: data.tenant,
    };
  });
}

/** Map from a decoded JSON string to its literal: plain characters one to one, each escape as a whole. */
function literalMap(source: string, literal: TextRange): SourceMapData {
  const map: number[] = [];
  const piece = /[^"\\]+|\\u[0-9a-fA-F]{4}|\\./gy;
  piece.lastIndex = literal.start + 1;
  let out = 0;
  for (let match = piece.exec(source); match !== null && match.index < literal.end - 1; match = piece.exec(source)) {
    const length = match[0].startsWith("\\") ? 1 : match[0].length;
    map.push(out, out + length, match.index, match.index + match[0].length);
    out += length;
  }
  return map;
}

function parseValue(text: string, firstLine: number): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const at = Number(/position (\d+)/.exec(messageOf(error))?.[1] ?? Number.NaN);
    const line = Number.isNaN(at) ? firstLine : firstLine + (text.slice(0, at).match(/\n/g)?.length ?? 0);
    throw new IngestError("bad_json", `line ${line}: not valid JSON (${messageOf(error)}): correct it there`, { line }, { cause: error });
  }
}

function wrongShape(index: number, error: z.ZodError): IngestError {
  const issue = error.issues[0];
  const field = issue?.path.join(".") || "(entry)";
  const message = `entry ${index}, field ${field}: ${issue?.message ?? "wrong value"}: entries look like {entry_id, topic, subtopic, content, url, type}`;
  return new IngestError("bad_entry", message, { index, field }, { cause: error });
}
