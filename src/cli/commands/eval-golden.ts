import { writeFileSync } from "node:fs";
import { type Command, Option } from "commander";
import { messageOf, RequestError } from "../../errors.ts";
import { chooseGoldenSets } from "../../grade/choose-golden-sets.ts";
import { type MeasuredSet, reportGolden } from "../../grade/golden-report.ts";
import { type GoldenSet, readGoldenSet } from "../../grade/golden-set.ts";
import { packSet } from "../../grade/pack-set.ts";
import { readGoldenReport } from "../../grade/read-golden-report.ts";
import { renderGolden } from "../../grade/render-golden.ts";
import { renderTable, writeReport } from "../../grade/report.ts";
import { runGolden } from "../../grade/run-golden.ts";
import type { CliContext } from "../context.ts";
import { configOf } from "../open.ts";

interface GoldenFlags {
  corpus?: string;
  golden?: string;
  data?: string;
  domains?: string;
  domain?: string;
  tenant?: string;
  profile?: string;
  baseUrl?: string;
  against?: string;
  json?: string;
  read?: string;
}

/** A set with the pack whose vocabulary applies to it. */
interface ChosenSet {
  readonly set: GoldenSet;
  readonly domain: string | undefined;
}

export function addEvalGoldenCommand(evaluate: Command, context: CliContext): void {
  evaluate
    .command("golden")
    .description("answers to questions whose right answer is known: shown, right, wrong, refused; one set, or every set of a folder")
    .option("--corpus <folder>", "folder of documents, under `pages/` where there is one; pages are named relative to it")
    .option("--golden <folder>", "folder with [prefix-]answerable*.jsonl and [prefix-]unanswerable*.jsonl")
    .addOption(new Option("--data <folder>", "folder of sets: golden/NAME, or NAME-pages with NAME-golden").env("SOURCEBOUND_DATA"))
    .option("--domains <names>", "comma-separated: only these sets of --data")
    .option("--domain <name>", "domain pack whose vocabulary applies; without --corpus and --golden, the pack's own set")
    .option("--tenant <name>", "only the questions that this party of the domain asks")
    .option("--profile <name>", "profile to measure")
    .option("--base-url <url>", "address under which `pages/a/b.md` is served as `a/b/`")
    .option("--against <file>", "an earlier report: differences with paired intervals")
    .option("--read <file>", "write every answer beside the right one, as Markdown to be read")
    .option("--json <file>", "write the whole report")
    .addHelpText("after", EXAMPLES)
    .action(async ({ json, read, ...flags }: GoldenFlags, command: Command) => {
      const config = configOf(context, command);
      const isGiven = command.getOptionValueSource("data") === "cli";
      const chosen = chooseSets(flags, isGiven, config.domains_dir).map((one) => ({ ...one, set: askedBy(one.set, flags.tenant) }));
      const against = flags.against === undefined ? undefined : readGoldenReport(flags.against);
      // Loaded only now: help and wrong usage answer without the engine.
      const { createEngine } = await import("../../engine/engine.ts");
      const { terminal, signal } = context;
      const measured: (MeasuredSet & { set: GoldenSet })[] = [];
      for (const { set, domain } of chosen) {
        const options = { config, domain, profile: flags.profile, baseUrl: flags.baseUrl, signal, openEngine: createEngine };
        for await (const event of runGolden(set, options)) {
          if (event.type === "progress") terminal.progress(`${event.done}/${event.total} ${event.what}`);
          else measured.push({ ...event, name: set.name, set });
        }
      }
      const { report, table, sets } = reportGolden(measured, { command: commandLine(flags), now: new Date(), against });
      terminal.print(terminal.colors.bold(`${report.name}: ${report.command}`));
      if (measured.length > 1) terminal.print(`${renderTable(sets)}\n`);
      terminal.print(renderTable(table));
      if (read !== undefined) writeText(read, renderGolden(measured));
      if (json !== undefined) writeReport(json, report);
    });
}

const EXAMPLES = `
Examples:
  sourcebound eval golden --corpus manual --golden manual-questions
  sourcebound eval golden --domain veterans
  sourcebound eval golden --domain retail --tenant novamart
  sourcebound eval golden --data data --json now.json --against before.json --read answers.md`;

/** @param dataGiven `--data` stands on the command line, not only in the environment */
function chooseSets(flags: GoldenFlags, dataGiven: boolean, domainsDir: string | undefined): ChosenSet[] {
  const { corpus, golden, data, domain } = flags;
  if (corpus !== undefined || golden !== undefined) {
    if (corpus === undefined || golden === undefined)
      throw new RequestError("config_invalid", "One set needs both: give its documents with --corpus and its questions with --golden.");
    return [{ set: readGoldenSet({ name: domain ?? "golden", corpus, golden }), domain }];
  }
  if (!dataGiven && domain !== undefined) return [{ set: packSet(domain, domainsDir), domain }];
  if (data === undefined)
    throw new RequestError(
      "config_invalid",
      "There is nothing to ask: give --corpus and --golden, or --domain, or a folder of sets with --data or SOURCEBOUND_DATA.",
    );
  return chooseGoldenSets(data, flags.domains).map((folders) => ({ set: readGoldenSet(folders), domain: domain ?? folders.domain }));
}

/** @throws RequestError `unknown_tenant` where no question is that tenant's */
function askedBy(set: GoldenSet, tenant: string | undefined): GoldenSet {
  if (tenant === undefined) return set;
  const askers = [...new Set([...set.answerable, ...set.unanswerable].flatMap((one) => one.tenant ?? []))].sort();
  if (!askers.includes(tenant)) {
    const known = askers.length === 0 ? "no question names one" : `questions are asked by ${askers.join(", ")}`;
    throw new RequestError("unknown_tenant", `No question of the set "${set.name}" is asked by "${tenant}": ${known}.`, { tenant });
  }
  const isAsked = (one: { readonly tenant: string | null }) => one.tenant === tenant;
  return { ...set, answerable: set.answerable.filter(isAsked), unanswerable: set.unanswerable.filter(isAsked) };
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
