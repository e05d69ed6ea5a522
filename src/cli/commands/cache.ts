import type { Command } from "commander";
import { toSnakeCase } from "../../text/snake-case.ts";
import { DOMAIN, define, JSON_OUT, PROFILE, printResult, TENANT } from "../command.ts";
import type { CliContext } from "../context.ts";

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
