import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { unzipSync } from "fflate";
import { createRandom } from "../../src/grading/metrics.ts";
import { createFileReader } from "../../src/ingest/file-reader.ts";
import type { ParsedDocument } from "../../src/ingest/parse.ts";
import { docxOf, epubOf, makeFile, wordParagraph, xlsxOf, zip } from "../../src/ingest/testing/made-files.ts";
import { makeOfficeFile } from "../../src/ingest/testing/made-office.ts";
import { makePdf } from "../../src/ingest/testing/made-pdf.ts";
import { faultsOf } from "../../src/ingest/testing/soundness.ts";
import { makeReport } from "../../src/internals.ts";
import { PACKAGE_ROOT } from "../../src/package.ts";
import { IngestError, messageOf } from "../../src/shared/errors.ts";
import { sha256Hex } from "../../src/text/hash.ts";
import type { Benchmark } from "../commands/bench.ts";

const FORMATS = "md txt adoc html json jsonl yaml csv vtt srt pdf docx odt rtf pptx odp epub xlsx ods eml mbox zip".split(" ");
/** Maximum bytes of a mutated file. Larger ones take time without reaching more code. */
const MAX_BYTES = 100_000;
/** A file that takes longer is a hang: a valid file of this size takes milliseconds, and a busy machine starts a thread in seconds. */
const HANG_MS = 120_000;
/** Files kept in the corpus. */
const MAX_SEEDS = 400;

/** Parses mutated files in each format. Counts crashes, hangs, exceeded memory and documents that violate an invariant. */
export const benchmark: Benchmark = {
  description:
    "parsers on mutated files (--formats md,pdf --seconds 600 --seed 1 --corpus DIR with more files --kept DIR for those that fail)",
  async run(args, progress) {
    const { values } = parseArgs({
      args: [...args],
      options: {
        formats: { type: "string", default: FORMATS.join(",") },
        seconds: { type: "string", default: "600" },
        seed: { type: "string", default: "1" },
        corpus: { type: "string" },
        kept: { type: "string", default: join(".", "fuzz-failures") },
      },
    });
    const random = createRandom(Number(values.seed));
    const reader = createFileReader({ threads: 1, timeoutMs: HANG_MS });
    const items: { id: string; runs: number; read: number; refused: number; failures: Record<string, number>; slowestMs: number }[] = [];
    try {
      for (const format of values.formats.split(",")) {
        const seeds = [...seedsOf(format), ...(values.corpus === undefined ? [] : filesOf(values.corpus, format))];
        const item = { id: format, runs: 0, read: 0, refused: 0, failures: {} as Record<string, number>, slowestMs: 0 };
        const seen = new Set<string>();
        const end = performance.now() + Number(values.seconds) * 1000;
        while (performance.now() < end) {
          const bytes = mutate(seeds, random);
          const begun = performance.now();
          const outcome = await reader.read({ path: `a.${format}`, bytes: bytes.slice() }, AbortSignal.timeout(2 * HANG_MS)).then(
            (documents) => ({ code: "read", why: faultsIn(format, documents) }),
            (error: unknown) => ({ code: error instanceof IngestError ? error.code : "error", why: messageOf(error) }),
          );
          item.runs++;
          item.slowestMs = Math.max(item.slowestMs, Math.round(performance.now() - begun));
          const failure = failureOf(outcome);
          if (failure !== null) {
            item.failures[failure] = (item.failures[failure] ?? 0) + 1;
            keep(values.kept, format, failure, bytes, outcome.why);
          } else item[outcome.code === "read" ? "read" : "refused"]++;
          // An outcome not met before is worth mutating further.
          if (!seen.has(outcome.code) && seeds.length < MAX_SEEDS) seeds.push(bytes);
          seen.add(outcome.code);
          if (item.runs % 100 === 0) progress(`${format}: ${item.runs} files, failures: ${JSON.stringify(item.failures)}`);
        }
        items.push(item);
      }
    } finally {
      await reader.close();
    }
    const total = (of: (item: (typeof items)[number]) => number) => items.reduce((sum, item) => sum + of(item), 0);
    const failed = ({ failures }: (typeof items)[number]) => Object.values(failures).reduce((sum, n) => sum + n, 0);
    return {
      report: makeReport({
        name: "fuzz",
        command: `bench fuzz ${args.join(" ")}`.trim(),
        n: { files: total(({ runs }) => runs) },
        metrics: { failures: total(failed) },
        timings: { seconds_per_format: Number(values.seconds), max_rss_mb: process.resourceUsage().maxRSS / 1024 },
        items,
      }),
      table: items.map((item) => ({
        name: item.id,
        figure: `${item.runs} files: ${item.read} read, ${item.refused} refused, ${failed(item)} failed ${JSON.stringify(item.failures)}; slowest ${item.slowestMs} ms`,
      })),
    };
  },
};

/** Formats whose text may stand in another order than in the file: fields of entries, notes, cells of damaged tables. */
const REORDERED: ReadonlySet<string> = new Set("md html json jsonl yaml docx odt rtf epub eml mbox zip".split(" "));

function faultsIn(format: string, documents: readonly ParsedDocument[]): string {
  const faults = documents.flatMap((document) => faultsOf(document));
  return faults.filter((fault) => !REORDERED.has(format) || !/^segment \d+ of the original$/.test(fault)).join("; ");
}

function failureOf({ code, why }: { readonly code: string; readonly why: string }): string | null {
  if (code === "read") return why === "" ? null : "invariant";
  if (code === "read_timeout") return "hang";
  if (code === "read_failed" || code === "error") return "memory";
  return code === "parse_failed" ? "crash" : null;
}

function keep(folder: string, format: string, failure: string, bytes: Uint8Array, why: string): void {
  mkdirSync(folder, { recursive: true });
  const name = join(folder, `${failure}-${sha256Hex(bytes).slice(0, 12)}.${format}`);
  writeFileSync(name, bytes);
  writeFileSync(`${name}.why`, `${why}\n`);
}

/** Valid files of the format: those that the tests generate, and the sources of their cases. */
function seedsOf(format: string): Uint8Array[] {
  const table = {
    type: "table" as const,
    rows: [
      ["Fee", "Amount"],
      ["Card", "$5.00"],
      ["", "7 | 8"],
    ],
  };
  const heading = { type: "heading" as const, level: 1 as const, text: "Fees & hours" };
  const paragraph = { type: "paragraph" as const, text: "A card costs 5 dollars. See “note” 3 <b>é😀</b>." };
  const blocks = [heading, paragraph, { type: "item" as const, text: "First item" }, table, { ...heading, level: 2 as const }, paragraph];
  const read = (...path: string[]) => readFileSync(join(PACKAGE_ROOT, ...path));
  const cases = (name: string) => strings(JSON.parse(read("src", "ingest", "formats", `${name}.cases.json`).toString("utf8"))).map(encode);
  const mail = Buffer.from(makeFile("eml", blocks).bytes);
  const parts = `Subject: s\r\nFrom: a@b.example\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain; charset=utf-8; format=flowed\r\n\r\n> An answer\r\nText. \r\n--b\r\nContent-Type: text/csv; name=a.csv\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: attachment; filename*=utf-8''a.csv\r\n\r\nYSxiCjEsMgo=\r\n--b--\r\n`;
  switch (format) {
    case "md":
      return [...cases("markdown"), encode("---\ntitle: T\naccess: staff\n---\n# H\n\nA[^1] ~~b~~.\n\n[^1]: Note.\n")];
    case "txt":
    case "adoc":
      return [...cases("text"), encode("= T\n:a: b\n\n== S\n\n----\ncode\n----\n\n|===\n|a|b\n|===\n////\nx\n////\n* i")];
    case "jsonl":
      return [encode('{"title":"T","text":"Text of it.","id":1}\n{"title":"U","rows":[[1,2]]}\n')];
    case "mbox":
      return [encode(`From a@b Mon Jan 1 00:00:00 2024\n${mail}\nFrom c@d Mon Jan 1 00:00:00 2024\n${parts}`)];
    case "pdf":
      return [
        ...[
          {},
          { columns: 2 as const, hasRunningHeads: true, hasOutline: true },
          { isRotated: true, hasLigatures: true, hasHyphens: true },
        ].map((options) => makePdf([heading, paragraph, { ...table, isRuled: true }, { ...paragraph, note: "A note." }], options).bytes),
        new Uint8Array(read("test", "fixtures", "scan.pdf")),
      ];
    case "zip":
      return [
        zip({ "a.md": "# A\n\nText.", "b/c.csv": "a,b\n1,2", "d.docx": docxOf(wordParagraph("T.")), "e.zip": zip({ "f.txt": "F" }) }),
      ];
    case "docx": {
      const call =
        '<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>Item</w:t><w:footnoteReference w:id="1"/></w:r></w:p>';
      const notes = `<w:footnotes XMLNS><w:footnote w:id="1">${wordParagraph("Note.")}</w:footnote></w:footnotes>`;
      return [makeFile("docx", blocks).bytes, docxOf(call, { "word/footnotes.xml": notes })];
    }
    case "epub":
      return [
        makeFile("epub", blocks).bytes,
        epubOf(['<p>T<a id="r" href="#n" epub:type="noteref">1</a></p><ol><li id="n">N <a href="#r">x</a></li></ol>']),
      ];
    case "xlsx": {
      const rows = [
        ["a", "b"],
        ["0.00%|0.5", "yyyy-mm-dd|45000"],
        ["1", ""],
      ];
      return [makeFile("xlsx", blocks).bytes, xlsxOf([{ name: "S", rows, merged: ["A1:B1"] }], { patterns: ["0.00%", "yyyy-mm-dd"] })];
    }
    case "eml":
      return [mail, encode(parts)];
    case "html":
    case "json":
    case "yaml":
    case "csv":
      return [makeFile(format, blocks).bytes, ...(format === "html" ? cases("markdown") : [])];
    default:
      return [makeOfficeFile(format as Parameters<typeof makeOfficeFile>[0], blocks).bytes];
  }
}

const encode = (text: string) => new Uint8Array(Buffer.from(text));

function strings(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(strings) : [];
}

function filesOf(folder: string, format: string): Uint8Array[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => extname(name) === `.${format}`)
    .map((name) => new Uint8Array(readFileSync(join(folder, name))))
    .filter(({ length }) => length <= MAX_BYTES);
}

/** Mutates a seed. Of archives, mostly one part, so that the archive itself stays valid. */
function mutate(seeds: readonly Uint8Array[], random: () => number): Uint8Array {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const seed = pick(seeds);
  if (!(seed[0] === 0x50 && seed[1] === 0x4b) || random() < 0.15) return mutateBytes(seed, pick(seeds), random);
  try {
    const parts = unzipSync(seed);
    const other = unzipSync(pick(seeds));
    const names = Object.keys(parts);
    for (let n = 1 + Math.floor(random() * 2); n > 0; n--) {
      const name = pick(names);
      parts[name] = new Uint8Array(mutateBytes(parts[name] ?? seed, pick(Object.values(other)) ?? seed, random));
    }
    return zip(parts);
  } catch {
    return mutateBytes(seed, seed, random);
  }
}

const NUMBERS = ["0", "-1", "1e308", "NaN", "65536", "2147483648", "99999999999999999999", "0.0000001", ""];
const TOKENS =
  '\0;\r\n;\n\n;\t;\ufeff;\u202e;\ud83d;\u0301;<;>;</;/>;<!--;<![CDATA[;]]>;&#0;&#x110000;&amp;;";\';`;[;];{;};(;);|;\\;\\u0000;---;```;[^;]:;__proto__;constructor;%%EOF;endobj;stream;<<;>>;/Kids;R;obj;\\bin9999999999 ;{\\*;\\\'ff;\\u-1 ;-->;WEBVTT;00:00:00.000 --> ;=?utf-8?B?;--b;Content-Type: ;<w:p>;<w:tbl>;<tr>;<td colspan=9999>;rowspan="65534";table:number-columns-repeated="16384";&a;*a;- '.split(
    ";",
  );

/** Applies one to eight mutations to the bytes. */
function mutateBytes(seed: Uint8Array, other: Uint8Array, random: () => number): Uint8Array {
  let text = Buffer.from(seed).toString("latin1");
  const at = (length: number) => Math.floor(random() * (length + 1));
  const latin = (token: string) => Buffer.from(token).toString("latin1");
  for (let n = 1 + Math.floor(random() * 8); n > 0; n--) {
    const start = at(text.length);
    const end = Math.min(text.length, start + Math.floor(random() ** 4 * text.length) + 1);
    const [head, slice, tail] = [text.slice(0, start), text.slice(start, end), text.slice(end)];
    const changes: readonly (() => string)[] = [
      () => head + tail,
      () => head + slice.repeat(2 + Math.floor(random() ** 4 * 500)).slice(0, MAX_BYTES) + tail,
      () => head + String.fromCharCode(Math.floor(random() * 256)) + text.slice(start + 1),
      () => head + latin(TOKENS[Math.floor(random() * TOKENS.length)] as string) + slice + tail,
      () => head + latin(TOKENS[Math.floor(random() * TOKENS.length)] as string).repeat(Math.floor(random() ** 3 * 2_000)) + slice + tail,
      () => head + text.slice(start).replace(/\d+/, NUMBERS[Math.floor(random() * NUMBERS.length)] as string),
      () => head + Buffer.from(other).toString("latin1").slice(at(other.length)),
      () => head + [...slice].reverse().join("") + tail,
      () => text.slice(end) + head + slice,
    ];
    text = (changes[Math.floor(random() * changes.length)] as () => string)().slice(0, MAX_BYTES);
  }
  return new Uint8Array(Buffer.from(text, "latin1"));
}
