import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Command, Option } from "commander";
import type { Config } from "../../config.ts";
import { messageOf, RequestError } from "../../errors.ts";
import { assertFigures, brokenBounds, figureNames, parseBound } from "../../grade/bounds.ts";
import { type ChosenSet, chooseSets } from "../../grade/choose-sets.ts";
import { type GoldenJournal, openGoldenJournal, runKey } from "../../grade/golden-journal.ts";
import { type MeasuredSet, readGoldenReport, reportGolden } from "../../grade/golden-report.ts";
import type { GoldenSet } from "../../grade/golden-set.ts";
import { type OutputRecorder, playOutput, recordOutput } from "../../grade/recorded-output.ts";
import { renderGolden } from "../../grade/render-golden.ts";
import { renderTable, writeReport } from "../../grade/report.ts";
import { type CliContext, EXIT, pathOf } from "../context.ts";
import { configOf } from "../open.ts";
import { createProgressBar } from "../progress-bar.ts";

interface GoldenFlags {
  corpus?: string | undefined;
  golden?: string | undefined;
  data?: string | undefined;
  domains?: string | undefined;
  domain?: string | undefined;
  tenant?: string | undefined;
  profile?: string | undefined;
  baseUrl?: string | undefined;
  against?: string | undefined;
}

interface GoldenOutputs {
  readonly out?: string | undefined;
  readonly html?: string | undefined;
  readonly read?: string | undefined;
  readonly record?: string | undefined;
  readonly recorded?: string | undefined;
  readonly failUnder?: readonly string[];
  readonly failOver?: readonly string[];
}

const collect = (value: string, before: readonly string[] = []) => [...before, value];

/** @param openSets the folder of sets that a folder given as --data stands for */
export function addEvalGoldenCommand(evaluate: Command, context: CliContext, openSets = (folder: string) => folder): void {
  evaluate
    .command("golden")
    .description("answers to questions whose right answer is known, graded: one set, or every set of a folder")
    .option("--corpus <folder>", "folder of documents, under `pages/` where there is one; pages are named relative to it")
    .option(
      "--golden <path>",
      "questions: a folder with [prefix-]answerable*.jsonl and [prefix-]unanswerable*.jsonl, or a file of questions (.jsonl, .json, .yaml)",
    )
    .addOption(new Option("--data <folder>", "folder of sets: golden/NAME, or NAME-pages with NAME-golden").env("SOURCEBOUND_DATA"))
    .option("--domains <names>", "comma-separated: only these sets of --data")
    .option(
      "--domain <name>",
      "domain pack whose vocabulary applies; without --corpus its documents, and without --golden its own questions",
    )
    .option("--tenant <name>", "only the questions that this party of the domain asks")
    .option("--profile <name>", "profile to measure")
    .option("--base-url <url>", "address under which `pages/a/b.md` is served as `a/b/`")
    .option("--against <file>", "an earlier report: differences with paired intervals")
    .option("--json, --out <file>", "write the whole report as JSON; a cancelled run goes on from FILE.partial.jsonl")
    .option("--html <file>", "write the report as one page that stands alone, with plots and every question")
    .option("--read <file>", "write every answer beside the right one, as Markdown to be read")
    .option("--record <file>", "keep what the configured model says, by prompt")
    .option("--recorded <file>", "ask no model: say again what --record kept")
    .option("--fail-under <name=value>", "exit code 5 when a figure is below this or could not be scored; may be repeated", collect)
    .option("--fail-over <name=value>", "exit code 5 when a figure is above this or could not be scored; may be repeated", collect)
    .addHelpText("after", EXAMPLES)
    .action(async ({ failUnder = [], failOver = [], ...flags }: GoldenFlags & GoldenOutputs, command: Command) => {
      const data = command.getOptionValueSource("data") === "cli" || flags.domain === undefined ? flags.data : undefined;
      const at = (path: string | undefined) => pathOf(context, path);
      const sets = data === undefined ? undefined : openSets(pathOf(context, data));
      const places = { corpus: at(flags.corpus), golden: at(flags.golden), data: sets, against: at(flags.against) };
      const { out, html, read, record, recorded } = flags;
      const outputs = { out: at(out), html: at(html), read: at(read), record: at(record), recorded: at(recorded), failUnder, failOver };
      const asked = { ...flags, ...places, command: commandLine({ ...flags, data }) };
      await evaluateGolden(asked, outputs, configOf(context, command), context);
    });
}

const EXAMPLES = `
Exit code: 0 done, 5 a bound of --fail-under or --fail-over does not hold, 130 cancelled; the same command goes on.

Examples:
  sourcebound eval golden --domain retail --tenant novamart --out results.json --html results.html
  sourcebound eval golden --domain retail --golden questions.yaml
  sourcebound eval golden --corpus manual --golden manual-questions --fail-under right.answerable=.5 --fail-over wrong.shown=.2
  sourcebound eval golden --domain veterans --out now.json --against before.json`;

async function evaluateGolden(
  flags: GoldenFlags & { readonly command: string },
  outputs: GoldenOutputs,
  config: Config,
  context: CliContext,
): Promise<void> {
  const { terminal, signal } = context;
  const { out, failUnder = [], failOver = [] } = outputs;
  const bounds = [...failUnder.map((text) => parseBound("under", text)), ...failOver.map((text) => parseBound("over", text))];
  const chosen = chooseSets(flags, config.domains_dir);
  const against = flags.against === undefined ? undefined : readGoldenReport(flags.against);
  if (bounds.length > 0) assertFigures(bounds, { names: figureNames(chosen.map(({ set }) => set)), compared: against !== undefined });
  for (const notice of chosen.flatMap(({ set }) => set.notices)) terminal.error(notice);
  const { model, embeddings, support, answer_from } = config;
  const settings = {
    profile: flags.profile ?? config.profile,
    domain: flags.domain,
    model: [model?.base_url, model?.small, model?.large],
    embeddings,
    support,
    answer_from,
    recorded: outputs.recorded,
    documents: chosen.map(({ set }) => documentsOf(set)),
  };
  const journal = openGoldenJournal(
    out ?? null,
    runKey(
      settings,
      chosen.map(({ set }) => set),
    ),
  );
  if (journal.resumed > 0) terminal.error(`${journal.resumed} questions were asked by a run that was cancelled: going on from there.`);
  const questions = chosen.reduce((sum, { set }) => sum + set.answerable.length + set.unanswerable.length, 0);
  const recorder = outputs.record === undefined ? null : await recorderOf(outputs.record, config);
  const measured: (MeasuredSet & { set: GoldenSet })[] = [];
  let cancelled: unknown = null;
  try {
    await measure(chosen, { flags, config, journal, questions, measured, recorder, recorded: outputs.recorded }, context);
  } catch (error) {
    if (!signal.aborted) throw error;
    cancelled = error;
  } finally {
    recorder?.save();
  }
  const { report, table, sets, changes } = reportGolden(measured, { command: flags.command, now: new Date(), against, questions });
  terminal.print(terminal.colors.bold(`${report.name}: ${report.command}`));
  if (measured.length > 1) terminal.print(`${renderTable(sets)}\n`);
  terminal.print(renderTable(table));
  const items = measured.flatMap((one) => one.items);
  if (outputs.read !== undefined) writeText(outputs.read, renderGolden(measured));
  if (outputs.html !== undefined) {
    const { renderGoldenHtml } = await import("../../grade/golden-html.ts");
    writeText(outputs.html, renderGoldenHtml({ report, items, latenciesMs: measured.flatMap((one) => one.latenciesMs), changes }));
  }
  if (out !== undefined) writeReport(out, report);
  if (cancelled !== null) throw cancelled;
  journal.finish();
  const broken = brokenBounds(bounds, report.metrics);
  for (const text of broken) terminal.error(text);
  if (broken.length > 0) context.exitCode = EXIT.found;
}

interface Measuring {
  readonly flags: GoldenFlags;
  readonly config: Config;
  readonly journal: GoldenJournal;
  /** Of all sets. */
  readonly questions: number;
  /** What was judged goes here as it comes: a cancelled run keeps it. */
  readonly measured: (MeasuredSet & { set: GoldenSet })[];
  readonly recorder: OutputRecorder | null;
  readonly recorded: string | undefined;
}

async function measure(
  chosen: readonly ChosenSet[],
  { flags, config, journal, questions, measured, recorder, recorded }: Measuring,
  { terminal, signal, process }: CliContext,
): Promise<void> {
  // Loaded only now: help and wrong usage answer without the engine.
  const [{ createEngine }, { runGolden }, { createShippedJudge }] = await Promise.all([
    import("../../engine/engine.ts"),
    import("../../grade/run-golden.ts"),
    import("../../grade/claim-judge.ts"),
  ]);
  const judge = createShippedJudge();
  const models = recorder !== null ? recorder.models : recorded === undefined ? undefined : playOutput(recorded);
  const parts = { ...process.engine, ...(models === undefined ? {} : { models }) };
  const bar = createProgressBar(questions);
  let before = 0;
  for (const { set, domain } of chosen) {
    const known = journal.known(set.name);
    const options = {
      ...{ config, domain, profile: flags.profile, baseUrl: flags.baseUrl, signal, judge, known },
      openEngine: (own: Config) => createEngine(own, parts),
    };
    const items = [...known.values()];
    const partial = {
      name: set.name,
      set,
      items: items.map(({ item }) => item),
      latenciesMs: items.map(({ latencyMs }) => latencyMs),
      checksMs: items.map(({ checkMs }) => checkMs),
      ingested: { documents: 0, chunks: 0, ms: 0 },
    };
    const at = measured.push(partial) - 1;
    for await (const event of runGolden(set, options)) {
      if (event.type === "progress") terminal.progress(bar(before + event.done, event.what));
      else if (event.type === "judged") measured[at] = { ...event, name: set.name, set };
      else {
        journal.add(set.name, event);
        partial.items.push(event.item);
        partial.latenciesMs.push(event.latencyMs);
        partial.checksMs.push(event.checkMs);
      }
    }
    before += set.answerable.length + set.unanswerable.length;
  }
}

async function recorderOf(path: string, config: Config): Promise<OutputRecorder> {
  const { modelsOf } = await import("../../engine/open.ts");
  return recordOutput(path, modelsOf(config));
}

/** Names, sizes and times of the documents: after an edit a cancelled run begins anew. */
function documentsOf({ documents, tenants }: GoldenSet): unknown[] {
  return [documents, ...Object.values(tenants)].flatMap((folder) =>
    (statSync(folder).isDirectory()
      ? readdirSync(folder, { recursive: true, encoding: "utf8" })
          .sort()
          .map((name) => join(folder, name))
      : [folder]
    ).map((path) => {
      const { size, mtimeMs } = statSync(path);
      return [path, size, mtimeMs];
    }),
  );
}

function commandLine(flags: GoldenFlags): string {
  const given = Object.entries({
    corpus: flags.corpus,
    golden: flags.golden,
    data: flags.data,
    domains: flags.domains,
    domain: flags.domain,
    tenant: flags.tenant,
    profile: flags.profile,
    "base-url": flags.baseUrl,
    against: flags.against,
  });
  return ["eval golden", ...given.flatMap(([name, value]) => (value === undefined ? [] : [`--${name} ${value}`]))].join(" ");
}

function writeText(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (cause) {
    throw new RequestError(
      "report_unwritable",
      `${path} could not be written (${messageOf(cause)}): give a file in a folder that is there.`,
      {},
      { cause },
    );
  }
}
