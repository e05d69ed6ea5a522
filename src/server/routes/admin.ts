import { z } from "zod";
import { reportExperiments, reportOf } from "../../grading/experiments.ts";
import { NODE_TYPES, viewGraph } from "../../memory/graph-view.ts";
import { RequestError } from "../../shared/errors.ts";
import * as wire from "../../wire/index.ts";
import { actorOf, narrow, scopeDenied, seesEverything } from "../access/caller.ts";
import { type Call, endpoint, type Services } from "../endpoint.ts";
import { paginate } from "../read-request.ts";
import { sendAttachment } from "./library.ts";

/** Maximum number of questions in the graph, newest first. */
const GRAPH_QUESTIONS = 20_000;

const refreshing = {
  body: { schema: wire.refreshRequestSchema, optional: true },
  gives: { status: 200, schema: wire.refreshResponseSchema },
} as const;

/** Experiments, statistics, golden runs, deletion and keys, mostly for administrators. */
export const adminEndpoints = {
  experiments: endpoint({
    ...{ method: "GET", path: "/v1/experiments", opens: "admin" },
    what: "Configured experiments, each with its report.",
    gives: { status: 200, schema: wire.experimentListSchema },
    handle: async (_, { engine }) => ({ items: await reportExperiments(engine) }),
  }),
  experiment: endpoint({
    ...{ method: "GET", path: "/v1/experiments/{name}", opens: "admin" },
    what: "One experiment: its variants with intervals, its guardrails and a verdict.",
    gives: { status: 200, schema: wire.experimentSchema },
    handle: ({ id }, { engine }) => reportOf(engine, id),
  }),
  refresh: endpoint({
    ...{ method: "POST", path: "/v1/admin/refresh", opens: "ingest", ...refreshing },
    what: "Reads every source of a domain again with the settings of its last ingest, and rebuilds the index.",
    handle: refresh,
  }),
  statistics: endpoint({
    ...{ method: "GET", path: "/v1/admin/stats", opens: "admin" },
    what: "Hit rates, tokens and costs spent and saved, topics, confidence, refusals, latency.",
    query: wire.statisticsQuerySchema,
    gives: { status: 200, schema: wire.statisticsSchema },
    handle: async (call, services) => wire.toWire(wire.statisticsSchema, await services.engine.memory.statistics(counted(call, services))),
  }),
  madeStatistics: endpoint({
    ...{ method: "GET", path: "/v1/admin/stats/made", opens: "admin" },
    what: "How the newest answers were produced: latency percentiles by stage, grades by metric and day, calls by model, outcomes of checks.",
    query: wire.statisticsQuerySchema,
    gives: { status: 200, schema: z.looseObject({}) },
    handle: (call, services) => services.engine.memory.madeStatistics(counted(call, services)),
  }),
  graph: endpoint({
    ...{ method: "GET", path: "/v1/graph", opens: "review" },
    what: "Graph of topics, entities, sources and stored questions: the nodes with the most links that match the filters.",
    query: wire.graphQuerySchema,
    gives: { status: 200, schema: wire.graphSchema },
    handle: async ({ caller, query: { types, words, around = null, limit, ...named } }, { engine }) => {
      const scope = engine.scope(narrow(caller, named));
      const questions = await engine.store.graph.questions(scope.domain, GRAPH_QUESTIONS);
      const visible = questions.filter(
        ({ tenant, access }) => (tenant === null || tenant === scope.tenant) && access.every((label) => scope.access.includes(label)),
      );
      const wanted = types === undefined ? NODE_TYPES : NODE_TYPES.filter((type) => types.split(",").includes(type));
      return wire.toWire(wire.graphSchema, viewGraph(visible, { types: wanted, words, around, limit }));
    },
  }),
  evaluations: endpoint({
    ...{ method: "GET", path: "/v1/evaluations", opens: "admin", needs: "evaluations" },
    what: "Evaluation runs, newest first, with their metrics.",
    query: z.strictObject(wire.pageQuery),
    gives: { status: 200, schema: wire.evaluationListSchema },
    handle: async ({ query }, { evaluations }) => paginate(await evaluations.list(), query, (one) => wire.evaluationToWire(one)),
  }),
  startEvaluation: endpoint({
    ...{ method: "POST", path: "/v1/evaluations", opens: "admin", idempotent: true, needs: "evaluations" },
    what: "Starts an evaluation run with the golden set of a domain pack, or with `questions` about the public documents of this server; 409 while another run is active.",
    body: { schema: wire.evaluationRequestSchema, long: true },
    gives: { status: 202, schema: wire.evaluationSchema },
    handle: ({ caller, body: { domain, profile = null, questions = null } }, { engine, evaluations }) => {
      const { name } = engine.domain(narrow(caller, { domain }).domain ?? engine.config.domain);
      return wire.evaluationToWire(evaluations.start({ domain: name, profile, questions }));
    },
  }),
  evaluation: endpoint({
    ...{ method: "GET", path: "/v1/evaluations/{id}", opens: "admin", needs: "evaluations" },
    what: "One evaluation run with every graded question, or its progress; with `against`, also the difference from another run.",
    query: wire.evaluationQuerySchema,
    gives: { status: 200, schema: wire.evaluationSchema },
    handle: async ({ query: { against }, id }, { evaluations }) => {
      const changes = against === undefined ? undefined : await evaluations.compare(id, against);
      return wire.evaluationToWire(await evaluations.get(id), changes);
    },
  }),
  evaluationPage: endpoint({
    ...{ method: "GET", path: "/v1/evaluations/{id}/page", opens: "admin", needs: "evaluations" },
    what: "One evaluation run as a self-contained HTML page.",
    gives: { status: 200, schema: null },
    handle: async ({ context, id }, { evaluations }) => sendAttachment(context, await evaluations.html(id), `${id}.html`),
  }),
  deleteEvaluation: endpoint({
    ...{ method: "DELETE", path: "/v1/evaluations/{id}", opens: "admin", needs: "evaluations" },
    what: "Stops an evaluation run, or deletes its results.",
    gives: { status: 204, schema: null },
    handle: ({ id }, { evaluations }) => evaluations.delete(id),
  }),
  forget: endpoint({
    ...{ method: "DELETE", path: "/v1/admin/memory", opens: "admin" },
    what: "Deletes stored data about questions.",
    body: { schema: wire.forgetRequestSchema },
    gives: { status: 200, schema: wire.forgottenSchema },
    handle: ({ caller, body: { by, dry_run: dryRun, ...target } }, { engine }) =>
      engine.memory.forget(wire.forgetTargetOf(target), { by: actorOf(caller, by), dryRun }),
  }),
  keys: endpoint({
    ...{ method: "GET", path: "/v1/admin/keys", opens: "admin" },
    what: "All keys, newest first, including expired and revoked ones; the secret keys are not included.",
    query: z.strictObject(wire.pageQuery),
    gives: { status: 200, schema: wire.keyListSchema },
    handle: async ({ query }, { engine }) => paginate(await engine.store.keys.list(), query, wire.keyToWire),
  }),
  newKey: endpoint({
    ...{ method: "POST", path: "/v1/admin/keys", opens: "admin" },
    what: "Creates a key; only this response contains it.",
    body: { schema: wire.newKeyRequestSchema },
    gives: { status: 201, schema: wire.newKeyResponseSchema },
    handle: async ({ caller, body: { by, name, roles, ...asked } }, { engine: { store, scope, config } }) => {
      if (!seesEverything(caller)) throw scopeDenied();
      const isAdmin = roles.includes("admin");
      const domains = isAdmin ? null : asked.domains === undefined ? [config.domain] : asked.domains;
      const tenants = isAdmin ? null : asked.tenants;
      for (const domain of domains ?? []) for (const tenant of [undefined, ...(tenants ?? [])]) scope({ domain, tenant });
      const made = {
        ...{ name, roles, domains, tenants, access: isAdmin ? null : asked.access },
        requestsPerHour: asked.requests_per_hour,
        tokensPerDay: asked.tokens_per_day,
        usdPerDay: asked.usd_per_day,
        expiresAt: asked.expires_at,
      };
      const { key, record } = await store.keys.create(made, actorOf(caller, by));
      return { ...wire.keyToWire(record), key };
    },
  }),
  revokeKey: endpoint({
    ...{ method: "DELETE", path: "/v1/admin/keys/{id}", opens: "admin" },
    what: "Revokes a key; the next request with it fails.",
    query: z.strictObject({ by: z.string().min(1).max(100).default("http") }),
    gives: { status: 204, schema: null },
    handle: async ({ caller, query: { by }, id }, { engine }) => {
      if (await engine.store.keys.revoke(id, actorOf(caller, by))) return;
      throw new RequestError("unknown_key", "There is no active key with this id. GET /v1/admin/keys lists them.");
    },
  }),
};

/** `/refresh-cache`, the path in the published `validator` design (docs/profiles.md). */
export const refreshCache = endpoint({
  ...{ method: "POST", path: "/refresh-cache", opens: "ingest", ...refreshing },
  what: "Alias of `/v1/admin/refresh`, for clients written for the `validator` design.",
  handle: refresh,
});

/** Refreshes a domain. The work continues when the client disconnects, because other clients may wait for its result. */
async function refresh({ caller, body: { domain } }: Call<unknown, z.output<typeof wire.refreshRequestSchema>>, { engine }: Services) {
  const { domains, tenants } = caller;
  if (domain !== undefined && domains !== null && !domains.includes(domain)) throw scopeDenied();
  const { sources, ...refreshed } = await engine.refresh(domain ?? domains?.[0]);
  const seen = sources.filter(({ tenant }) => tenants === null || tenant === null || tenants.includes(tenant));
  return wire.refreshToWire({ ...refreshed, sources: seen });
}

function counted({ query: { domain, since } }: Call<z.output<typeof wire.statisticsQuerySchema>>, { engine }: Services) {
  return { domain: domain === undefined ? null : engine.scope({ domain }).domain, since: since === undefined ? null : wire.isoOf(since) };
}
