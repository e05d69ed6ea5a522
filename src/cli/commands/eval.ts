import type { Command } from "commander";
import { z } from "zod";
import { evaluateExtract } from "../../evaluate/extract.ts";
import { EXTRACT_SETS } from "../../evaluate/extract-sets.ts";
import { renderTable, writeReport } from "../../evaluate/report.ts";
import { evaluateRetrieval, RETRIEVAL_SETS, type RetrievalEvent, type RetrievalSystem } from "../../evaluate/retrieval.ts";
import type { EvaluateEvent } from "../../evaluate/va.ts";
import { type EmbeddedEncoder, loadEmbeddedEncoder } from "../../models/embedded-encoder.ts";
import { sourcebound } from "../../profiles/sourcebound.ts";
import { createEmbeddedReranker } from "../../retrieve/rerank.ts";
import type { CliContext } from "../context.ts";
import { configOf } from "../open.ts";

interface VaFlags {
  corpus: string;
  golden: string;
  baseUrl?: string;
  profile?: string;
  domain?: string;
  json?: string;
}

const EXAMPLE = "\nExample:\n  sourcebound eval va --corpus data/va-pages --golden data/va-golden --json va.json";

export function addEvalCommand(program: Command, context: CliContext): void {
  const evaluate = program.command("eval").description("measure answers against golden sets").addHelpText("after", EXAMPLE);
  addRetrievalCommand(evaluate, context);
  addExtractCommand(evaluate, context);
  evaluate
    .command("va")
    .description("pages found, key values, refusals on a golden set over a folder of pages")
    .requiredOption("--corpus <folder>", "folder with `pages/`")
    .requiredOption("--golden <folder>", "folder with va-answerable*.jsonl and va-unanswerable*.jsonl")
    .option("--base-url <url>", "address under which `pages/a/b.md` is served as `a/b/`")
    .option("--domain <name>", "domain pack whose vocabulary applies")
    .option("--profile <name>", "profile to measure")
    .option("--json <file>", "write the whole report")
    .addHelpText("after", EXAMPLE)
    .action(async (flags: VaFlags, command: Command) => {
      const { json, ...options } = flags;
      const line = `eval va --corpus ${flags.corpus} --golden ${flags.golden}${flags.profile === undefined ? "" : ` --profile ${flags.profile}`}`;
      const { evaluateVa } = await import("../../evaluate/va.ts");
      await showEvaluation(evaluateVa({ ...options, config: configOf(command), command: line, signal: context.signal }), json, context);
    });
  evaluate
    .command("typos")
    .description("pages found for golden questions as written and with seeded typos, with and without spelling repair")
    .requiredOption("--corpus <folder>", "folder with `pages/`")
    .requiredOption("--golden <folder>", "folder with va-answerable*.jsonl")
    .option("--domain <name>", "domain pack whose vocabulary applies")
    .option("--profile <name>", "profile to measure")
    .option("--json <file>", "write the whole report")
    .action(async (flags: VaFlags, command: Command) => {
      const { json, ...options } = flags;
      const { evaluateTypos } = await import("../../evaluate/typos.ts");
      const line = `eval typos --corpus ${flags.corpus} --golden ${flags.golden}`;
      await showEvaluation(evaluateTypos({ ...options, config: configOf(command), command: line, signal: context.signal }), json, context);
    });
  evaluate
    .command("follow-ups")
    .description("retrieval for follow-up questions: as asked, with all history, rewritten by us, rewritten by people")
    .requiredOption("--data <folder>", "folder with canard*.jsonl")
    .option("--json <file>", "write the whole report")
    .action(async ({ data, json }: { data: string; json?: string }) => {
      const { evaluateFollowUps } = await import("../../evaluate/follow-ups.ts");
      await showEvaluation(evaluateFollowUps({ data, command: `eval follow-ups --data ${data}` }), json, context);
    });
}

interface RetrievalFlags {
  data: string;
  sets: string;
  limit: string;
  fusions?: boolean;
  json?: string;
}

/** Words, vectors, both as the default profile fuses them, and reranked as it does; or the hybrid at other weights. */
function systemsOf(encoder: EmbeddedEncoder, fusions: boolean): RetrievalSystem[] {
  const { alpha, beta, fusion, rerank } = sourcebound.retrieve;
  const settings = { bm25: true, dense: true, alpha, beta, fusion };
  const words: RetrievalSystem = { name: "bm25", encoder: null, settings: { ...settings, dense: false } };
  if (!fusions) {
    return [
      words,
      { name: "dense", encoder, settings: { ...settings, bm25: false } },
      { name: "hybrid", encoder, settings },
      { name: "hybrid+rerank", encoder, settings, rerank: { reranker: createEmbeddedReranker(encoder), depth: rerank } },
    ];
  }
  const weighted = [0.3, 0.4, 0.5, 0.6].map((share): RetrievalSystem => {
    return { name: `hybrid.${share * 10}`, encoder, settings: { ...settings, alpha: share, beta: 1 - share, fusion: "min-max" } };
  });
  return [words, ...weighted, { name: "rrf", encoder, settings: { ...settings, fusion: "rrf" } }];
}

function addRetrievalCommand(evaluate: Command, context: CliContext): void {
  evaluate
    .command("retrieval")
    .description("rankings on public sets: words, dense, hybrid, reranked; with paired bootstrap intervals against words")
    .requiredOption("--data <folder>", "folder of sets, one folder each")
    .option("--sets <names>", "comma-separated", RETRIEVAL_SETS.join(","))
    .option("--limit <n>", "questions of one set at most", "1000")
    .option("--fusions", "compare weights of the hybrid instead")
    .option("--json <file>", "write the whole report")
    .addHelpText("after", "\nExample:\n  sourcebound eval retrieval --data data --sets va-golden,clapnq")
    .action(async (flags: RetrievalFlags) => {
      const encoder = loadEmbeddedEncoder();
      const systems = systemsOf(encoder, flags.fusions === true);
      const sets = z.array(z.enum(RETRIEVAL_SETS)).parse(flags.sets.split(","));
      const command = `eval retrieval --data ${flags.data} --sets ${flags.sets} --limit ${flags.limit}${flags.fusions === true ? " --fusions" : ""}`;
      const events = evaluateRetrieval({ data: flags.data, sets, systems, command, limit: Number(flags.limit), signal: context.signal });
      await showEvaluation(events, flags.json, context);
    });
}

function addExtractCommand(evaluate: Command, context: CliContext): void {
  evaluate
    .command("extract")
    .description("the extractive writer on questions whose answers are marked in the documents: answers that hold it, and their words")
    .requiredOption("--data <folder>", "folder of sets, one folder each")
    .option("--sets <names>", "comma-separated", EXTRACT_SETS.join(","))
    .option("--limit <n>", "questions of one set at most", "1000")
    .option("--tuning", "the part on which the choice of quotes was tuned, instead of what was kept apart")
    .option("--json <file>", "write the whole report")
    .addHelpText("after", "\nExample:\n  sourcebound eval extract --data data --sets policyqa,tatqa")
    .action(async (flags: { data: string; sets: string; limit: string; tuning?: boolean; json?: string }) => {
      const encoder = loadEmbeddedEncoder();
      const { data, limit, tuning = false } = flags;
      const events = evaluateExtract({
        data,
        sets: z.array(z.enum(EXTRACT_SETS)).parse(flags.sets.split(",")),
        part: tuning ? "tuning" : "held-out",
        limit: Number(limit),
        profile: sourcebound,
        encoder,
        reranker: createEmbeddedReranker(encoder),
        command: `eval extract --data ${data} --sets ${flags.sets} --limit ${limit}${tuning ? " --tuning" : ""}`,
        signal: context.signal,
      });
      await showEvaluation(events, flags.json, context);
    });
}

async function showEvaluation(
  events: AsyncIterable<EvaluateEvent | RetrievalEvent>,
  json: string | undefined,
  { terminal }: CliContext,
): Promise<void> {
  for await (const event of events) {
    if (event.type === "progress") terminal.progress("done" in event ? `${event.done}/${event.total} ${event.what}` : event.what);
    else {
      const { report, table } = event;
      terminal.print(terminal.colors.bold(`${report.name}: ${report.command}`));
      terminal.print(renderTable(table));
      if (json !== undefined) writeReport(json, report);
    }
  }
}
