import type { Command } from "commander";
import type { CacheExplanation, Engine } from "../../engine/engine.ts";
import type { CliContext } from "../context.ts";
import { harmlessLine } from "../harmless.ts";
import { configOf, withEngine } from "../open.ts";
import type { Terminal } from "../terminal.ts";

interface CacheFlags {
  domain?: string;
  tenant?: string;
  profile?: string;
  all?: boolean;
  json?: boolean;
}

export function addCacheCommand(program: Command, context: CliContext): void {
  const cache = program
    .command("cache")
    .description("stored answers: how many there are, why one is served or not, throw them away")
    .addHelpText(
      "after",
      `
An answer is stored when every check of it passed, and served again only after its sources were compared and checked anew.

Examples:
  sourcebound cache stats
  sourcebound cache explain "How is sleep apnea with a CPAP machine rated?"
  sourcebound cache clear --domain veterans`,
    );
  addStats(cache, context);
  addClear(cache, context);
  addExplain(cache, context);
}

function addStats(cache: Command, context: CliContext): void {
  cache
    .command("stats")
    .description("entries, levels, age and edges of the graph")
    .option("--domain <name>", "of one body of knowledge; all when absent")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExamples:\n  sourcebound cache stats\n  sourcebound cache stats --domain veterans --json")
    .action(async ({ domain, json }: CacheFlags, command: Command) => {
      await withEngine(context, configOf(context, command), async (engine) => {
        const stats = await statsOf(engine, domain);
        if (json) return context.terminal.print(JSON.stringify(stats, null, 2));
        for (const [name, value] of Object.entries(stats)) context.terminal.print(`${name.padEnd(16)} ${shown(value)}`);
      });
    });
}

function addClear(cache: Command, context: CliContext): void {
  cache
    .command("clear")
    .description("throw stored answers away; documents, sessions and interactions stay")
    .option("--domain <name>", "of one body of knowledge")
    .option("--all", "of every one")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExamples:\n  sourcebound cache clear --domain veterans\n  sourcebound cache clear --all")
    .action(async ({ domain, all, json }: CacheFlags, command: Command) => {
      if ((domain === undefined) === (all !== true)) {
        command.error("error: say which: --domain NAME, or --all");
      }
      await withEngine(context, configOf(context, command), async (engine) => {
        const name = domain === undefined ? null : engine.domain(domain).name;
        const cleared = await engine.store.cache.clear(name);
        context.terminal.print(json ? JSON.stringify({ cleared, domain: name }) : `${cleared} stored answers cleared.`);
      });
    });
}

function addExplain(cache: Command, context: CliContext): void {
  cache
    .command("explain")
    .description("what the caches would do with a question, and which rule decided for each stored one; nothing is changed")
    .argument("<question>", "the question")
    .option("--domain <name>", "body of knowledge")
    .option("--tenant <name>", "party inside the domain")
    .option("--profile <name>", "profile whose caches are asked")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      '\nExamples:\n  sourcebound cache explain "How is sleep apnea with a CPAP machine rated?"\n  sourcebound cache explain --profile seven-layer --json "…"',
    )
    .action(async (question: string, { json, ...options }: CacheFlags, command: Command) => {
      await withEngine(context, configOf(context, command), async (engine) => {
        const explained = await engine.explainCache(question, { ...options, signal: context.signal });
        if (json) return context.terminal.print(JSON.stringify(toJson(explained), null, 2));
        for (const line of linesOf(explained, context.terminal.colors)) context.terminal.print(line);
      });
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
