import type { Command } from "commander";
import { RequestError } from "../../shared/errors.ts";
import { toSnakeCase } from "../../text/validate.ts";
import { forgetTargetOf, statisticsToWire } from "../../wire/memory.ts";
import { DOMAIN, define, JSON_OUT, PROFILE, printResult, renderRecord, TENANT, toTime } from "../command.ts";
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

export function addCacheCommand(program: Command, context: CliContext): void {
  const { terminal, signal } = context;
  const cache = define(program, context, "cache", {
    description: "stored answers: how many there are, why one is served or not, throw them away",
    help: `
An answer is stored when every check of it passed, and served again only after its sources were compared and checked again.

Examples:
  sourcebound cache stats
  sourcebound cache explain "What is the rating for sleep apnea that requires a CPAP machine?"
  sourcebound cache clear --domain veterans`,
  });
  define(cache, context, "stats", {
    description: "entries, levels, age and edges of the graph",
    options: [["--domain <name>", "of one body of knowledge; all when absent"], JSON_OUT],
    async use(engine, { flags: { domain, json } }) {
      const name = domain === undefined ? null : engine.domain(domain).name;
      const { byProfile, ...stats } = await engine.store.cache.stats(name);
      const { entries: capacity, hours, enabled } = engine.config.cache;
      printResult(terminal, json, { domain: name, enabled, capacity, hours, ...stats, by_profile: byProfile });
    },
  });
  define(cache, context, "clear", {
    description: "throw stored answers away; documents, sessions and interactions stay",
    options: [["--domain <name>", "of one body of knowledge"], ["--all", "of every one"], JSON_OUT],
    run({ flags: { domain, all }, command }) {
      if ((domain === undefined) === (all !== true)) command.error("error: say which: --domain NAME, or --all");
    },
    async use(engine, { flags: { domain, json } }) {
      const name = domain === undefined ? null : engine.domain(domain).name;
      const cleared = await engine.store.cache.clear(name);
      terminal.print(json ? JSON.stringify({ cleared, domain: name }) : `${cleared} stored answers cleared.`);
    },
  });
  define(cache, context, "explain", {
    description: "what the caches would do with a question, and which rule decided for each stored one; nothing is changed",
    argument: ["<question>", "the question"],
    options: [DOMAIN, TENANT, PROFILE, JSON_OUT],
    async use(engine, { flags: { json, ...options }, given }) {
      printResult(terminal, json, toSnakeCase(await engine.explainCache(given, { ...options, signal })));
    },
  });
}

export function addExperimentsCommand(program: Command, context: CliContext): void {
  const { terminal } = context;
  define(program, context, "experiments", {
    description: "what trials of settings have come to: intervals and a plain verdict",
    argument: ["[name]", "one of them, by its name in the configuration; all when absent"],
    options: [JSON_OUT],
    help: `
Experiments are set in the configuration (\`experiments\`) and run while \`serve\` answers; docs/review.md says how.

Examples:
  sourcebound experiments lower-threshold
  sourcebound experiments lower-threshold --json | jq .verdict.code`,
    async use(engine, { flags: { json }, given: name }) {
      const { reportExperiments, reportOf } = await import("../../grading/experiments.ts");
      const reports = name === undefined ? await reportExperiments(engine) : [await reportOf(engine, name)];
      if (reports.length === 0) terminal.error("No experiment is configured: docs/review.md says how to begin one.");
      printResult(terminal, json, name === undefined ? reports : reports[0]);
    },
  });
}
