import type { Command } from "commander";
import { RequestError } from "../../errors.ts";
import { forgetTargetOf, statisticsToWire } from "../../wire/memory.ts";
import { define, JSON_OUT, printResult, renderRecord, toTime } from "../command.ts";
import { type CliContext, EXIT, userName } from "../context.ts";

export function addSessionsCommand(program: Command, context: CliContext): void {
  const { terminal } = context;
  const sessions = define(program, context, "sessions", { description: "conversations that later questions may refer to" });
  define(sessions, context, "purge", {
    description: "delete expired sessions, expired answers of the cache and what is older than `retention` allows; `serve` does it hourly",
    options: [JSON_OUT],
    async use({ memory }, { flags: { json } }) {
      const purged = await memory.purge();
      printResult(terminal, json, purged, () => `Deleted: ${countsInWords(purged)}.`);
    },
  });
}

export function addForgetCommand(program: Command, context: CliContext): void {
  const { terminal } = context;
  define(program, context, "forget", {
    description:
      "delete what is remembered of questions: interactions, cached answers, sessions, verdicts, reports, vectors; documents stay",
    options: [
      ["--session <id>", "of this session"],
      ["--user <id>", "of this user"],
      ["--question <text>", "every time this was asked"],
      ["--before <date>", "everything that was stored before", { parse: toTime }],
      ["--all", "everything, corrections included"],
      ["--yes", "do it; without it, only what would go is counted"],
      ["--by <name>", "who acts, for the audit log"],
      JSON_OUT,
    ],
    help: `
The audit log keeps that it was done, by whom and how much, none of the words. The files are written anew, so that nothing
deleted is left in them; of PostgreSQL the tables, while its log, replicas and backups are the administrator's. Backups are yours to see to. A correction stays, without the question that it answers, unless --question or --all.

Examples:
  sourcebound forget --question "How is tinnitus rated?"
  sourcebound forget --before 2026-01-01 --yes --json`,
    run({ flags: { session, user, question, before, all } }) {
      if ([session, user, question, before, all].filter((one) => one !== undefined).length !== 1)
        throw new RequestError("forget_nothing", "Name exactly one of --session, --user, --question, --before and --all.");
    },
    async use({ memory }, { flags: { session, user, question, before, by = userName(), yes, json } }) {
      const target = forgetTargetOf({ session_id: session, user_id: user, question, before });
      const report = await memory.forget(target, { by, dryRun: yes !== true });
      const { scrubbed, left, ...counts } = report;
      printResult(terminal, json, report, () => `${scrubbed === null ? "Would delete" : "Deleted"}: ${countsInWords(counts)}.`);
      if (scrubbed === null) terminal.error("Nothing was deleted: run it again with --yes.");
      if (left !== null) {
        terminal.error(left);
        context.exitCode = EXIT.partly;
      }
    },
  });
}

function countsInWords(counts: object): string {
  return Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");
}

export function addStatsCommand(program: Command, context: CliContext): void {
  const { terminal } = context;
  define(program, context, "stats", {
    description: "hit rates, cost, topics, confidence, refusals and latency; no text of questions",
    options: [
      ["--domain <name>", "only this body of knowledge"],
      ["--since <date>", "only what was asked since then", { parse: toTime }],
      JSON_OUT,
    ],
    async use(engine, { flags: { domain, since, json } }) {
      const name = domain === undefined ? null : engine.scope({ domain }).domain;
      const statistics = statisticsToWire(await engine.memory.statistics({ domain: name, since: since ?? null }));
      const { days: _days, judged: _judged, ...totals } = statistics;
      printResult(terminal, json, statistics, () => (totals.interactions === 0 ? "Nothing was asked." : renderRecord(totals)));
    },
  });
}
