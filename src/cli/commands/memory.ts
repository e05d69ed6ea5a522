import { RequestError } from "../../shared/errors.ts";
import { toSnakeCase } from "../../text/validate.ts";
import { forgetTargetOf, statisticsSchema } from "../../wire/memory.ts";
import { toWire } from "../../wire/to-wire.ts";
import { DOMAIN, define, JSON_OUT, PROFILE, printResult, renderRecord, TENANT, toTime } from "../command.ts";
import { EXIT, userName } from "../context.ts";

export const addSessionsCommand = define("sessions", {
  description: "manage sessions (conversations that follow-up questions refer to)",
  commands: [
    define("purge", {
      description: "delete expired sessions, expired cached answers, and records older than `retention` allows; `serve` does this hourly",
      options: [JSON_OUT],
      async use({ memory }, { flags: { json }, terminal }) {
        const purged = await memory.purge();
        printResult(terminal, json, purged, () => `Deleted: ${labelCounts(purged)}.`);
      },
    }),
  ],
});

export const addForgetCommand = define("forget", {
  description: "delete stored data about questions: interactions, cached answers, sessions, ratings, reports, vectors; documents are kept",
  options: [
    ["--session <id>", "delete what is stored about this session"],
    ["--user <id>", "delete what is stored about this user"],
    ["--question <text>", "delete what is stored about this question, each time that it was asked"],
    ["--before <date>", "delete everything stored before this time", { parse: toTime }],
    ["--all", "delete everything stored about questions, including corrections"],
    ["--yes", "really delete; without this option, only count what would be deleted"],
    ["--by <name>", "your name, for the audit log"],
    JSON_OUT,
  ],
  help: `
The audit log records who deleted how much, but no text. The database files are rewritten, so that they contain nothing deleted. With PostgreSQL, the
tables are rewritten; its log, replicas and backups are the administrator's responsibility, as are your own backups. A correction is kept without
its question, unless --question or --all is used.

Examples:
  sourcebound forget --question "How is tinnitus rated?"
  sourcebound forget --before 2026-01-01 --yes --json`,
  run({ flags: { session, user, question, before, all } }) {
    if ([session, user, question, before, all].filter((one) => one !== undefined).length !== 1)
      throw new RequestError("forget_nothing", "Use exactly one of --session, --user, --question, --before and --all.");
  },
  async use({ memory }, { flags: { session, user, question, before, by = userName(), yes, json }, context, terminal }) {
    const target = forgetTargetOf({ session_id: session, user_id: user, question, before });
    const report = await memory.forget(target, { by, dryRun: yes !== true });
    const { scrubbed, left, ...counts } = report;
    printResult(terminal, json, report, () => `${scrubbed === null ? "Would delete" : "Deleted"}: ${labelCounts(counts)}.`);
    if (scrubbed === null) terminal.error("Nothing was deleted. Run it again with --yes.");
    if (left !== null) {
      terminal.error(left);
      context.exitCode = EXIT.partly;
    }
  },
});

function labelCounts(counts: object): string {
  return Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");
}

export const addStatsCommand = define("stats", {
  description: "show hit rates, cost, topics, confidence, refusals and latency, without question texts",
  options: [
    ["--domain <name>", "only this domain"],
    ["--since <date>", "only questions asked since this time", { parse: toTime }],
    JSON_OUT,
  ],
  async use(engine, { flags: { domain, since, json }, terminal }) {
    const name = domain === undefined ? null : engine.scope({ domain }).domain;
    const statistics = toWire(statisticsSchema, await engine.memory.statistics({ domain: name, since: since ?? null }));
    const { days: _days, judged: _judged, ...totals } = statistics;
    printResult(terminal, json, statistics, () => (totals.interactions === 0 ? "No questions were asked." : renderRecord(totals)));
  },
});

export const addCacheCommand = define("cache", {
  description: "manage stored answers: statistics, explanation, deletion",
  help: `
An answer is stored if all its checks passed. It is served again only after its sources and checks have been verified again.

Examples:
  sourcebound cache stats
  sourcebound cache explain "What is the rating for sleep apnea that requires a CPAP machine?"
  sourcebound cache clear --domain veterans`,
  commands: [
    define("stats", {
      description: "show how many answers are stored, by profile, how old they are, and how many topics, entities and sources they link",
      options: [["--domain <name>", "only this domain (default: all)"], JSON_OUT],
      async use(engine, { flags: { domain, json }, terminal }) {
        const name = domain === undefined ? null : engine.domain(domain).name;
        const { byProfile, ...stats } = await engine.store.cache.stats(name);
        const { entries: capacity, hours, enabled } = engine.config.cache;
        printResult(terminal, json, { domain: name, enabled, capacity, hours, ...stats, by_profile: byProfile });
      },
    }),
    define("clear", {
      description: "delete the stored answers of the cache; documents, sessions and the record of questions are kept",
      options: [
        ["--domain <name>", "delete the stored answers of this domain"],
        ["--all", "delete the stored answers of all domains"],
        JSON_OUT,
      ],
      run({ flags: { domain, all }, command }) {
        if ((domain === undefined) === (all !== true)) command.error("error: specify --domain NAME or --all");
      },
      async use(engine, { flags: { domain, json }, terminal }) {
        const name = domain === undefined ? null : engine.domain(domain).name;
        const cleared = await engine.store.cache.clear(name);
        terminal.print(json ? JSON.stringify({ cleared, domain: name }) : `Deleted ${cleared} stored answers.`);
      },
    }),
    define("explain", {
      description: "show whether the cache would answer a question, and why each stored question matches it or not; changes nothing",
      argument: ["<question>", "the question"],
      options: [DOMAIN, TENANT, PROFILE, JSON_OUT],
      async use(engine, { flags: { json, ...options }, given, terminal, signal }) {
        printResult(terminal, json, toSnakeCase(await engine.explainCache(given, { ...options, signal })));
      },
    }),
  ],
});

export const addExperimentsCommand = define("experiments", {
  description: "show the results of experiments: each variant's figures with intervals, and a verdict",
  argument: ["[name]", "name of the experiment in the configuration (default: all)"],
  options: [JSON_OUT],
  help: `
Experiments are defined in the configuration (\`experiments\`) and run while \`serve\` answers; see docs/review.md.

Examples:
  sourcebound experiments lower-threshold
  sourcebound experiments lower-threshold --json | jq .verdict.code`,
  async use(engine, { flags: { json }, given: name, terminal }) {
    const { reportExperiments, reportOf } = await import("../../grading/experiments.ts");
    const reports = name === undefined ? await reportExperiments(engine) : [await reportOf(engine, name)];
    if (reports.length === 0) terminal.error("No experiment is configured. docs/review.md explains how to set one up.");
    printResult(terminal, json, name === undefined ? reports : reports[0]);
  },
});
