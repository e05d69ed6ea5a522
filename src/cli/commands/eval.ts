import type { Command } from "commander";
import { evaluateFollowUps } from "../../evaluate/follow-ups.ts";
import { renderTable, writeReport } from "../../evaluate/report.ts";
import { evaluateTypos } from "../../evaluate/typos.ts";
import { type EvaluateEvent, evaluateVa } from "../../evaluate/va.ts";
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

export function addEvalCommand(program: Command, context: CliContext): void {
  const evaluate = program.command("eval").description("measure answers against golden sets");
  evaluate
    .command("va")
    .description("pages found, key values, refusals on a golden set over a folder of pages")
    .requiredOption("--corpus <folder>", "folder with `pages/`")
    .requiredOption("--golden <folder>", "folder with va-answerable*.jsonl and va-unanswerable*.jsonl")
    .option("--base-url <url>", "address under which `pages/a/b.md` is served as `a/b/`")
    .option("--domain <name>", "domain pack whose vocabulary applies")
    .option("--profile <name>", "profile to measure")
    .option("--json <file>", "write the whole report")
    .addHelpText("after", "\nExample:\n  sourcebound eval va --corpus data/va-pages --golden data/va-golden --json va.json")
    .action(async (flags: VaFlags, command: Command) => {
      const { json, ...options } = flags;
      const line = `eval va --corpus ${flags.corpus} --golden ${flags.golden}${flags.profile === undefined ? "" : ` --profile ${flags.profile}`}`;
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
      const line = `eval typos --corpus ${flags.corpus} --golden ${flags.golden}`;
      await showEvaluation(evaluateTypos({ ...options, config: configOf(command), command: line, signal: context.signal }), json, context);
    });
  evaluate
    .command("follow-ups")
    .description("retrieval for follow-up questions: as asked, with all history, rewritten by us, rewritten by people")
    .requiredOption("--data <folder>", "folder with canard*.jsonl")
    .option("--json <file>", "write the whole report")
    .action(async ({ data, json }: { data: string; json?: string }) => {
      await showEvaluation(evaluateFollowUps({ data, command: `eval follow-ups --data ${data}` }), json, context);
    });
}

async function showEvaluation(events: AsyncIterable<EvaluateEvent>, json: string | undefined, { terminal }: CliContext): Promise<void> {
  for await (const event of events) {
    if (event.type === "progress") terminal.progress(`${event.done}/${event.total} ${event.what}`);
    else {
      const { report, table } = event;
      terminal.print(terminal.colors.bold(`${report.name}: ${report.command}`));
      terminal.print(renderTable(table));
      if (json !== undefined) writeReport(json, report);
    }
  }
}
