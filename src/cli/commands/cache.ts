import type { Command } from "commander";
import type { CacheExplanation, Engine } from "../../engine/engine.ts";
import { DOMAIN, define, JSON_OUT, printResult, TENANT } from "../command.ts";
import type { CliContext } from "../context.ts";
import { harmlessLine, type Terminal } from "../terminal.ts";

export function addCacheCommand(program: Command, context: CliContext): void {
  const { terminal, signal } = context;
  const cache = define(program, context, "cache", {
    description: "stored answers: how many there are, why one is served or not, throw them away",
    help: `
An answer is stored when every check of it passed, and served again only after its sources were compared and checked anew.

Examples:
  sourcebound cache stats
  sourcebound cache explain "How is sleep apnea with a CPAP machine rated?"
  sourcebound cache clear --domain veterans`,
  });
  define(cache, context, "stats", {
    description: "entries, levels, age and edges of the graph",
    options: [["--domain <name>", "of one body of knowledge; all when absent"], JSON_OUT],
    help: "\nExamples:\n  sourcebound cache stats\n  sourcebound cache stats --domain veterans --json",
    async use(engine, { flags: { domain, json } }) {
      const stats = await statsOf(engine, domain);
      const lines = Object.entries(stats).map(([name, value]) => `${name.padEnd(16)} ${shown(value)}`);
      printResult(terminal, json, stats, () => lines.join("\n"));
    },
  });
  define(cache, context, "clear", {
    description: "throw stored answers away; documents, sessions and interactions stay",
    options: [["--domain <name>", "of one body of knowledge"], ["--all", "of every one"], JSON_OUT],
    help: "\nExamples:\n  sourcebound cache clear --domain veterans\n  sourcebound cache clear --all",
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
    options: [DOMAIN, TENANT, ["--profile <name>", "profile whose caches are asked"], JSON_OUT],
    help: '\nExamples:\n  sourcebound cache explain "How is sleep apnea with a CPAP machine rated?"\n  sourcebound cache explain --profile seven-layer --json "…"',
    async use(engine, { flags: { json, ...options }, given }) {
      const explained = await engine.explainCache(given, { ...options, signal });
      printResult(terminal, json, toJson(explained), () => linesOf(explained, terminal.colors).join("\n"));
    },
  });
}

async function statsOf(engine: Engine, domain: string | undefined) {
  const name = domain === undefined ? null : engine.domain(domain).name;
  const { byProfile, ...stats } = await engine.store.cache.stats(name);
  const { entries: capacity, hours, enabled } = engine.config.cache;
  return { domain: name, enabled, capacity, hours, ...stats, by_profile: byProfile };
}

function shown(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value ?? "–");
  const parts = Object.entries(value).map(([name, n]) => `${name} ${n}`);
  return parts.length === 0 ? "–" : parts.join(", ");
}

function linesOf(
  { question, resolved, profile, levels, cacheMode, notAsked, judged }: CacheExplanation,
  colors: Terminal["colors"],
): string[] {
  const lines = [`${colors.bold(cacheMode === "miss" ? "miss" : `${cacheMode} hit`)}  ${harmlessLine(question)}`];
  if (resolved !== question) lines.push(`  looked up as: ${harmlessLine(resolved)}`);
  lines.push(colors.dim(`  profile ${profile}: ${levels.join(", ")}`));
  if (notAsked !== null) return [...lines, `  not asked: ${notAsked}`];
  for (const { level, question: stored, storedAt, cosine, entities, documents, score, served, rule, reason } of judged) {
    const of = stored === null ? "" : ` "${harmlessLine(stored)}"${storedAt === null ? "" : ` of ${storedAt.slice(0, 10)}`}`;
    lines.push(
      `  ${level}${of}: ${served ? colors.green("served") : colors.yellow(rule)}${reason === "" ? "" : ` – ${harmlessLine(reason)}`}`,
    );
    const measures = Object.entries({ cosine, entities, documents, score }).flatMap(([name, value]) =>
      value === null ? [] : [`${name} ${value.toFixed(2)}`],
    );
    if (measures.length > 0) lines.push(colors.dim(`    ${measures.join(", ")}`));
  }
  return lines;
}

function toJson({ cacheMode, notAsked, judged, ...rest }: CacheExplanation) {
  return {
    ...rest,
    cache_mode: cacheMode,
    not_asked: notAsked,
    judged: judged.map(({ storedAt, ...one }) => ({ ...one, stored_at: storedAt })),
  };
}
