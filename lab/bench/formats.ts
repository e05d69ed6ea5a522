import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { z } from "zod";
import { chooseGoldenSets } from "../../src/grading/choose-sets.ts";
import { readGolden } from "../../src/grading/golden.ts";
import { type Answer, createEngine, type Engine, loadProcessConfig } from "../../src/index.ts";
import { makeReport } from "../../src/internals.ts";
import { RequestError } from "../../src/shared/errors.ts";
import type { Benchmark } from "../commands/bench.ts";
import { withHardBreaks } from "../sets/hard-breaks.ts";
import { markdownFiles } from "../sets/markdown-files.ts";
import { putSource } from "../sets/put-source.ts";

const FORMATS = ["docx", "epub", "pdf"] as const;
type Converted = (typeof FORMATS)[number];
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const questionSchema = z.object({ id: z.string(), question: z.string() });

interface Compared {
  readonly id: string;
  readonly format: Converted;
  readonly question: string;
  readonly isSame: boolean;
  readonly hasSameStatus: boolean;
  readonly markdown: readonly string[];
  readonly converted: readonly string[];
}

/** Compares the answers from the same documents in different formats. */
export const benchmark: Benchmark = {
  description:
    "answers and quotes from DOCX, EPUB and PDF made of markdown by pandoc and Chromium, beside those from the markdown (--data DIR --sets A,B [--kept DIR])",
  async run(args, progress) {
    const { values } = parseArgs({
      args: [...args],
      options: { data: { type: "string" }, sets: { type: "string" }, kept: { type: "string" } },
    });
    if (values.data === undefined) throw new RequestError("missing_data", "bench formats needs --data DIR, the folder of sets");
    const work = values.kept ?? mkdtempSync(join(tmpdir(), "sourcebound-bench-"));
    const items: Compared[] = [];
    const begun = performance.now();
    try {
      for (const set of chooseGoldenSets(join(values.data, "golden"), values.sets)) {
        const folders = await convert(join(set.corpus, "pages"), join(work, set.name), (what) => progress(`${set.name}: ${what}`));
        const questions = readdirSync(set.golden)
          .filter((file) => /answerable.*\.jsonl$/.test(file))
          .flatMap((file) => readGolden(set.golden, file, questionSchema));
        const markdown = await answersOf(folders.md, questions, (what) => progress(`${set.name}, markdown: ${what}`));
        for (const format of FORMATS) {
          const converted = await answersOf(folders[format], questions, (what) => progress(`${set.name}, ${format}: ${what}`));
          for (const [i, { id, question }] of questions.entries())
            items.push(compare(id, question, format, markdown[i] as Answer, converted[i] as Answer));
        }
      }
    } finally {
      if (values.kept === undefined) rmSync(work, { recursive: true, force: true });
    }
    const metrics = Object.fromEntries(
      FORMATS.flatMap((format) => {
        const mine = items.filter((item) => item.format === format);
        const share = (key: "isSame" | "hasSameStatus") => mine.filter((item) => item[key]).length / mine.length;
        return [
          [`same.${format}`, share("isSame")],
          [`same_status.${format}`, share("hasSameStatus")],
        ];
      }),
    );
    return {
      report: makeReport({
        name: "formats",
        command: `bench formats ${args.join(" ")}`.trim(),
        n: { questions: items.length / FORMATS.length, comparisons: items.length },
        metrics,
        timings: { seconds: (performance.now() - begun) / 1_000 },
        items: items.map((item) => ({ ...item })),
      }),
      table: FORMATS.flatMap((format) => {
        const mine = items.filter((item) => item.format === format);
        const count = (key: "isSame" | "hasSameStatus") => `${mine.filter((item) => item[key]).length} of ${mine.length}`;
        return [
          { name: `${format}: same answer, same quotes`, figure: count("isSame") },
          { name: `${format}: answered or refused alike`, figure: count("hasSameStatus") },
        ];
      }),
    };
  },
};

function compare(id: string, question: string, format: Converted, markdown: Answer, converted: Answer): Compared {
  const said = ({ citations }: Answer) => [...new Set(citations.map(({ quote }) => bare(quote)))].sort();
  const [one, other] = [said(markdown), said(converted)];
  const hasSameStatus = markdown.status === converted.status;
  const isSame = hasSameStatus && one.length === other.length && one.every((quote, i) => quote === other[i]);
  return { id: `${id} ${format}`, format, question, isSame, hasSameStatus, markdown: one, converted: other };
}

/** Removes differences of typesetting: white space, quotation marks, hyphens and dashes, and cell separators. */
function bare(text: string): string {
  return text
    .normalize("NFKC")
    .replaceAll(/[“”„]/g, '"')
    .replaceAll(/[‘’]/g, "'")
    .replaceAll(/[‐-―−]/g, "-")
    .replaceAll(/\.{3}/g, "…")
    .replaceAll(/[\s|]+/g, "");
}

async function answersOf(
  folder: string,
  questions: readonly { readonly question: string }[],
  progress: (what: string) => void,
): Promise<Answer[]> {
  const data = mkdtempSync(join(tmpdir(), "sourcebound-bench-"));
  const engine: Engine = await createEngine(loadProcessConfig({ data_dir: data, domain: "documents", "cache.enabled": false }));
  try {
    for await (const event of engine.ingest(folder))
      if (event.type === "document") progress(`${event.counts.done}/${event.counts.total} files`);
    const answers: Answer[] = [];
    for (const { question } of questions) {
      answers.push(await engine.answer(question, { domain: "documents" }));
      progress(`${answers.length}/${questions.length} questions`);
    }
    return answers;
  } finally {
    await engine.close();
    rmSync(data, { recursive: true, force: true });
  }
}

/** Converts a folder to every format. Files in a kept folder whose source is unchanged are not converted again. */
async function convert(from: string, to: string, progress: (what: string) => void): Promise<Readonly<Record<Converted | "md", string>>> {
  const folders = { md: join(to, "md"), rows: join(to, "rows"), docx: join(to, "docx"), epub: join(to, "epub"), pdf: join(to, "pdf") };
  const paths = markdownFiles(from);
  const { error } = spawnSync("pandoc", ["--version"], { stdio: "ignore" });
  if (error !== undefined) throw new RequestError("pandoc_missing", "There is no pandoc on the path: install it (https://pandoc.org).");
  if (!existsSync(CHROMIUM))
    throw new RequestError("chromium_missing", `There is no Chromium at ${CHROMIUM}: install it, or name one in CHROMIUM.`);
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"],
  });
  try {
    const page = await browser.newPage();
    for (const [i, path] of paths.entries()) {
      progress(`${i}/${paths.length} files converted`);
      const source = join(from, path);
      const target = (format: keyof typeof folders) => {
        const file = join(folders[format], format === "rows" ? path : path.replace(/md$/, format));
        mkdirSync(dirname(file), { recursive: true });
        return file;
      };
      cpSync(source, target("md"));
      // Pandoc would join lines that our Markdown parser keeps apart; hard breaks keep them apart in every format.
      const rows = target("rows");
      putSource(rows, withHardBreaks(readFileSync(source, "utf8")), FORMATS.map(target));
      for (const format of ["docx", "epub"] as const) if (!existsSync(target(format))) pandoc(rows, ["-o", target(format)]);
      if (existsSync(target("pdf"))) continue;
      await page.setContent(pandoc(rows, ["-t", "html", "-s"]), { waitUntil: "domcontentloaded" });
      writeFileSync(
        target("pdf"),
        await page.pdf({ format: "A4", outline: true, tagged: true, margin: { top: "2cm", bottom: "2cm", left: "2cm", right: "2cm" } }),
      );
    }
  } finally {
    await browser.close();
  }
  return folders;
}

function pandoc(source: string, options: readonly string[]): string {
  return execFileSync("pandoc", ["-f", "gfm+yaml_metadata_block", source, ...options], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    maxBuffer: 1e8,
  });
}
