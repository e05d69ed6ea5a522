import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { createEngine, type Engine } from "../../src/engine/engine.ts";
import { chooseSets } from "../../src/grading/choose-sets.ts";
import { countRow, makeReport } from "../../src/grading/report.ts";
import { profiles } from "../../src/profiles/index.ts";
import type { Config } from "../../src/shared/config.ts";
import { RequestError } from "../../src/shared/errors.ts";
import type { EvaluateEvent } from "./va.ts";

export interface ReplaysOptions {
  /** Pack whose golden questions are asked. */
  readonly domain: string;
  /** Folder of the installation; it is kept, so that another process or Node.js version can replay the answers. */
  readonly folder: string;
  readonly n: number;
  readonly config: Config;
  readonly command: string;
  readonly signal: AbortSignal;
}

const askedSchema = z.array(z.object({ id: z.string(), tenant: z.string().nullable(), profile: z.string(), status: z.string() }));
type Asked = z.infer<typeof askedSchema>;

/** Answers questions of a pack under every profile that needs no model (new folder only), reopens the folder and replays every answer. */
export async function* evaluateReplays(options: ReplaysOptions): AsyncGenerator<EvaluateEvent, void> {
  const { folder, domain, signal, command } = options;
  const config = { ...options.config, data_dir: folder, domain, cache: { ...options.config.cache, enabled: false } };
  const list = join(folder, "asked.json");
  if (!existsSync(list)) {
    const engine = await createEngine(config);
    try {
      writeFileSync(list, JSON.stringify(yield* askAll(engine, options)));
    } finally {
      await engine.close();
    }
  }
  const asked = askedSchema.parse(JSON.parse(readFileSync(list, "utf8")));
  const engine = await createEngine(config);
  try {
    const items = [];
    for (const one of asked) {
      signal.throwIfAborted();
      yield { type: "progress", done: items.length, total: asked.length, what: `replayed on Node ${process.versions.node}` };
      const { identical, differs } = await engine.replay(one.id, { domain, tenant: one.tenant, signal });
      items.push({ ...one, identical, differs });
    }
    const identical = items.filter((one) => one.identical).length;
    const report = makeReport({
      name: "replays",
      command,
      n: { answers: items.length, shown: items.filter(({ status }) => status === "ok").length },
      metrics: { identical: items.length === 0 ? null : identical / items.length },
      items,
    });
    yield { type: "report", report, table: [countRow("identical", identical, items.length, `replayed on Node ${process.versions.node}`)] };
  } finally {
    await engine.close();
  }
}

async function* askAll(engine: Engine, { domain, n, config, signal }: ReplaysOptions): AsyncGenerator<EvaluateEvent, Asked> {
  for await (const _ of engine.ingestDomain(domain, signal)) signal.throwIfAborted();
  const questions = chooseSets({ domain }, config.domains_dir).flatMap(({ set }) => [...set.answerable, ...set.unanswerable]);
  const keyFree = profiles.filter(({ needs }) => !needs.includes("model"));
  const asked: Asked = [];
  for (const detail of ["normal", "more"] as const) {
    for (const { name: profile } of keyFree) {
      for (const { question, tenant } of questions) {
        if (asked.length >= n) return asked;
        yield { type: "progress", done: asked.length, total: n, what: `${profile}: ${question}` };
        const { id, status } = await engine.answer(question, { domain, tenant, profile, detail, signal });
        asked.push({ id, tenant, profile, status });
      }
    }
  }
  if (asked.length < n)
    throw new RequestError("config_invalid", `The pack "${domain}" has questions for ${asked.length} answers: ask for fewer with -n.`);
  return asked;
}
