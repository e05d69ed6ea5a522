import type { AnswerRecord } from "../../answer/record.ts";
import type { Engine } from "../../engine/engine.ts";
import { unknownDocument } from "../../engine/uploads.ts";
import { mayShowRecord, unknownRecord, visibleRecord } from "../../engine/proofs.ts";
import type { Evaluations } from "../../grade/evaluations.ts";
import { NODE_TYPES, type NodeType, viewGraph } from "../../remember/graph-view.ts";
import {
  callsToWire,
  evaluationQuerySchema,
  evaluationRequestSchema,
  evaluationToWire,
  graphQuerySchema,
  graphToWire,
} from "../../wire/exploring.ts";
import { scopeQuerySchema } from "../../wire/service.ts";
import { type Caller, callerOf, narrow, reachOf, seesEverything } from "../access/caller.ts";
import { ENDPOINTS } from "../endpoints.ts";
import type { Handlers } from "../mount.ts";
import { paginate } from "../page.ts";
import { bodyOf, partOf, queryOf } from "../read-request.ts";

/** The part of the engine that these routes need. */
export type ExploringEngine = Pick<Engine, "config" | "domain" | "original" | "prove" | "reach" | "scope" | "store">;

/** Questions that the graph is made of: the newest. */
const GRAPH_QUESTIONS = 20_000;

/** What is behind answers: the file that was read, versions of a document, the proof, prompts, the graph. */
export function exploringHandlers(engine: ExploringEngine): Handlers {
  return {
    original: async (context) => {
      const scope = reachOf(callerOf(context), queryOf(context, scopeQuerySchema));
      const { bytes, path } = await engine.original(partOf(context, "id"), scope);
      const name = path.split("/").at(-1) ?? "original";
      // Whatever it is, no browser may take it for a page of this server.
      return context.body(bytes, 200, {
        ...{ "Content-Type": "application/octet-stream", "Cache-Control": "no-store" },
        "Content-Disposition": `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
      });
    },
    versions: async (context) => {
      const scope = await engine.reach(reachOf(callerOf(context), queryOf(context, scopeQuerySchema)));
      const id = partOf(context, "id");
      if (!(await engine.store.documents.load(scope, [id])).has(id)) throw unknownDocument(id);
      return context.json({ items: await engine.store.corpusLog.versionsOf(scope.domain, id) });
    },
    proof: async (context) => {
      const scope = narrow(callerOf(context), queryOf(context, scopeQuerySchema));
      context.header("Cache-Control", "no-store");
      return context.json({ ...(await engine.prove(partOf(context, "id"), scope)) });
    },
    calls: async (context) => {
      const caller = callerOf(context);
      const scope = engine.scope(narrow(caller, queryOf(context, scopeQuerySchema)));
      const record = await visibleRecord(partOf(context, "id"), scope, engine.store.records);
      const { calls, question } = record.body as AnswerRecord;
      if (!seesEverything(caller)) {
        // From what documents earlier answers came is not known.
        const isAlone = question.history.every(({ answer }) => answer === "");
        if (!isAlone || !(await mayShowRecord(record, scope, engine.store.documents))) throw unknownRecord(record.id, scope);
      }
      return context.json(callsToWire(calls));
    },
    graph: async (context) => {
      const { types, words, around, limit, ...asked } = queryOf(context, graphQuerySchema);
      const scope = engine.scope(narrow(callerOf(context), asked));
      const questions = await engine.store.graph.questions(scope.domain, GRAPH_QUESTIONS);
      const visible = questions.filter(
        ({ tenant, access }) => (tenant === null || tenant === scope.tenant) && access.every((label) => scope.access.includes(label)),
      );
      const wanted = types === undefined ? NODE_TYPES : NODE_TYPES.filter((type: NodeType) => types.split(",").includes(type));
      return context.json(graphToWire(viewGraph(visible, { types: wanted, words, around: around ?? null, limit })));
    },
  };
}

/** Golden runs, for administrators: they read whole packs, and take minutes of the machine. */
export function evaluationHandlers(engine: Pick<Engine, "config" | "domain">, evaluations: Evaluations): Handlers {
  return {
    evaluations: async (context) => {
      const { items, next_cursor } = paginate(await evaluations.list(), queryOf(context, ENDPOINTS.evaluations.query));
      return context.json({ items: items.map((one) => evaluationToWire(one)), next_cursor });
    },
    evaluation: async (context) => {
      const id = partOf(context, "id");
      const { against } = queryOf(context, evaluationQuerySchema);
      const changes = against === undefined ? undefined : await evaluations.compare(id, against);
      return context.json(evaluationToWire(await evaluations.get(id), changes));
    },
    evaluationPage: async (context) => {
      const id = partOf(context, "id");
      return context.body(await evaluations.html(id), 200, {
        "Content-Type": "application/octet-stream",
        "Content-Disposition": `attachment; filename*=UTF-8''${encodeURIComponent(id)}.html`,
      });
    },
    startEvaluation: async (context) => {
      const { domain, profile, questions } = await bodyOf(context, evaluationRequestSchema);
      const named = engine.domain(narrowDomain(callerOf(context), domain) ?? engine.config.domain).name;
      return context.json(
        evaluationToWire(evaluations.start({ domain: named, profile: profile ?? null, questions: questions ?? null })),
        202,
      );
    },
    deleteEvaluation: async (context) => {
      await evaluations.delete(partOf(context, "id"));
      return context.body(null, 204);
    },
  };
}

function narrowDomain(caller: Caller, domain: string | undefined): string | undefined {
  return narrow(caller, { domain }).domain;
}
