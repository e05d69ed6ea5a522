import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { chooseSets } from "../../grading/choose-sets.ts";
import { openGoldenJournal, playOutput, recordOutput, runKey } from "../../grading/golden-journal.ts";
import { itemsOf, type MeasuredSet, readGoldenReport, renderGolden, reportGolden } from "../../grading/golden-report.ts";
import type { GoldenSet } from "../../grading/golden-set.ts";
import { brokenBounds, parseBound, renderTable, writeReport, writeText } from "../../grading/report.ts";
import type { Config } from "../../shared/config.ts";
import { commandLine, define, type FlagsOf } from "../command.ts";
import { type CliContext, configOf, EXIT, pathOf } from "../context.ts";

const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

const SETS = [
  ["--corpus <folder>", "folder of documents (`pages/` inside it, if it exists); page names are relative to it"],
  ["--golden <path>", "questions: a folder of [prefix-]answerable*.jsonl, [prefix-]unanswerable*.jsonl, or a .jsonl, .json or .yaml file"],
  [
    "--data <folder>",
    "folder of several golden sets, each stored as golden/NAME or as the two folders NAME-pages and NAME-golden",
    { env: "SOURCEBOUND_DATA" },
  ],
  ["--domains <names>", "measure only these golden sets of --data, comma-separated"],
  ["--domain <name>", "domain pack whose vocabulary applies; supplies documents without --corpus and questions without --golden"],
  ["--tenant <name>", "ask only the questions of this tenant"],
  ["--profile <name>", "profile to measure"],
  ["--base-url <url>", "base URL of the published pages: the file a/b.md has the address URL/a/b/"],
  ["--against <file>", "compare with the report that an earlier run wrote with --json; differences are shown with 95 % intervals"],
] as const;
const OUTPUTS = [
  ["--json, --out <file>", "write the whole report as JSON; a cancelled run continues from FILE.partial.jsonl"],
  ["--html <file>", "write the report as a self-contained HTML page with every question"],
  ["--read <file>", "write every answer and the correct answer for it, as Markdown"],
  ["--record <file>", "record the configured model's reply to each prompt in this file"],
  ["--recorded <file>", "use the replies that --record wrote to this file instead of calling the model"],
  ["--fail-under <name=value>", "exit with code 5 if this figure is below the value or cannot be scored; repeatable", { parse: collect }],
  ["--fail-over <name=value>", "exit with code 5 if this figure is above the value or cannot be scored; repeatable", { parse: collect }],
] as const;

/**
 * Adds the command that measures answers on the user's own golden sets. Returns it, so that programs outside this package
 * can add subcommands.
 * @param openSets returns the folder of golden sets for the folder given as --data
 */
export function addEvalCommand(program: Command, context: CliContext, openSets = (folder: string) => folder): Command {
  const golden = define("golden", {
    description: "grade answers to questions with known answers: one set, or every set in a folder",
    options: [...SETS, ...OUTPUTS],
    help: `
Exit code: 0 done, 5 a figure is beyond its limit of --fail-under or --fail-over, 130 cancelled; run the same command again to continue.

Examples:
  sourcebound eval golden --domain retail --tenant novamart --out results.json --html results.html
  sourcebound eval golden --domain retail --golden questions.yaml
  sourcebound eval golden --corpus manual --golden manual-questions --fail-under right.answerable=.5 --fail-over wrong.shown=.2
  sourcebound eval golden --domain veterans --out now.json --against before.json`,
    async run({ flags, command }) {
      const data = command.getOptionValueSource("data") === "cli" || flags.domain === undefined ? flags.data : undefined;
      const at = (path: string | undefined) => pathOf(context, path);
      const { corpus, golden, against, out, html, read, record, recorded } = flags;
      const places = { corpus: at(corpus), golden: at(golden), data: data === undefined ? data : openSets(pathOf(context, data)) };
      const outputs = { out: at(out), html: at(html), read: at(read), record: at(record), recorded: at(recorded) };
      const asked = { ...flags, ...places, against: at(against), command: commandLine("eval golden", SETS, { ...flags, data }) };
      await evaluateGolden(asked, { ...flags, ...outputs }, configOf(context, command), context);
    },
  });
  return define("eval", { description: "measure answers against golden sets", commands: [golden] })(program, context);
}

async function evaluateGolden(
  flags: FlagsOf<typeof SETS> & { readonly command: string },
  outputs: FlagsOf<typeof OUTPUTS>,
  config: Config,
  context: CliContext,
): Promise<void> {
  const { terminal, signal } = context;
  const { out, failUnder = [], failOver = [] } = outputs;
  const bounds = [...failUnder.map((text) => parseBound("under", text)), ...failOver.map((text) => parseBound("over", text))];
  const chosen = chooseSets(flags, config.domains_dir);
  const asked = chosen.map(({ set }) => set);
  const against = flags.against === undefined ? undefined : readGoldenReport(flags.against);
  for (const notice of asked.flatMap(({ notices }) => notices)) terminal.error(notice);
  const { model, embeddings, support, answer_from, write_from, write } = config;
  const settings = {
    profile: flags.profile ?? config.profile,
    domain: flags.domain,
    model: [model?.base_url ?? model?.local, model?.small, model?.large],
    embeddings,
    support,
    ...{ answer_from, write_from, write },
    recorded: outputs.recorded,
    documents: asked.map(documentsOf),
  };
  const journal = openGoldenJournal(out ?? null, runKey(settings, asked));
  if (journal.resumed > 0) terminal.error(`${journal.resumed} questions were answered by a cancelled run; continuing from there.`);
  const questions = asked.reduce((sum, { answerable, unanswerable }) => sum + answerable.length + unanswerable.length, 0);
  const { modelsOf } = await import("../../engine/open.ts");
  const recorder = outputs.record === undefined ? null : recordOutput(outputs.record, modelsOf(config));
  const measured: MeasuredSet[] = [];
  let cancelled: unknown = null;
  try {
    // Load the engine only here, because help and usage errors do not need it.
    const [{ createEngine }, { runGolden }, { createShippedJudge }] = await Promise.all([
      import("../../engine/engine.ts"),
      import("../../grading/run-golden.ts"),
      import("../../grading/claim-judge.ts"),
    ]);
    const judge = createShippedJudge();
    const models = recorder !== null ? recorder.models : outputs.recorded === undefined ? undefined : playOutput(outputs.recorded);
    const parts = { ...context.process.engine, ...(models === undefined ? {} : { models }) };
    let before = 0;
    for (const { set, domain } of chosen) {
      const known = journal.known(set.name);
      const options = {
        ...{ config, domain, profile: flags.profile, baseUrl: flags.baseUrl, signal, judge, known },
        openEngine: (own: Config) => createEngine(own, parts),
      };
      const partial = { name: set.name, asked: [...known.values()], ingested: { documents: 0, chunks: 0, ms: 0 } };
      const at = measured.push(partial) - 1;
      for await (const event of runGolden(set, options)) {
        if (event.type === "progress") terminal.progress(`${before + event.done}/${questions} ${event.what}`);
        else if (event.type === "judged") measured[at] = { ...event, name: set.name };
        else {
          journal.add(set.name, event);
          partial.asked.push(event);
        }
      }
      before += set.answerable.length + set.unanswerable.length;
    }
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
  if (outputs.read !== undefined) writeText(outputs.read, renderGolden(measured));
  if (outputs.html !== undefined) {
    const { renderGoldenHtml } = await import("../../grading/golden-html.ts");
    writeText(outputs.html, renderGoldenHtml({ report, items: measured.flatMap(itemsOf), changes }));
  }
  if (out !== undefined) writeReport(out, report);
  if (cancelled !== null) throw cancelled;
  const broken = brokenBounds(bounds, report.metrics);
  journal.finish();
  for (const text of broken) terminal.error(text);
  const unasked = measured.flatMap(itemsOf).filter(({ error }) => error !== null);
  if (unasked.length > 0)
    terminal.error(`The figures leave out ${unasked.length} questions that could not be asked: ${unasked[0]?.refusal}`);
  // A bound must not hold because its questions were left out.
  if (broken.length > 0 || (bounds.length > 0 && unasked.length > 0)) context.exitCode = EXIT.found;
}

/** Returns names, sizes and times of the documents. If any of them changes, a cancelled run starts from the beginning. */
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
