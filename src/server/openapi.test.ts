import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Evaluations } from "../grade/evaluations.ts";
import { createFakeAskEngine } from "../testing/fake-ask-engine.ts";
import { type AppOptions, createApp } from "./app.ts";
import { ENDPOINTS, type Endpoint } from "./endpoints.ts";
import { silentLog } from "./log.ts";
import { createMetrics } from "./telemetry/metrics.ts";

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: { readonly type?: string } }>> };
  readonly responses: Readonly<Record<string, { readonly content?: unknown }>>;
}
interface Api {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

function setUp(parts: Pick<AppOptions, "evaluations" | "metrics"> = {}) {
  const engine = createFakeAskEngine(async function* () {});
  return createApp({ engine, ...parts, log: silentLog, webRoot: "/nowhere" });
}
/** Routes are only mounted, not called. */
const whole = () => setUp({ metrics: createMetrics(), evaluations: {} as Evaluations });
const described = async (app: ReturnType<typeof setUp>) => (await (await app.request("/openapi.json")).json()) as Api;

describe("GET /openapi.json", () => {
  it("takes `cursor` exactly where a response has `next_cursor`", () => {
    const has = (schema: unknown, name: string) => schema instanceof z.ZodObject && name in schema.shape;
    for (const { path, query, gives } of Object.values<Endpoint>(ENDPOINTS)) {
      expect([path, has(query, "cursor"), has(query, "limit") || !has(query, "cursor")]).toEqual([
        path,
        has(gives.schema, "next_cursor"),
        true,
      ]);
    }
  });

  it("describes every route that is mounted, and mounts every route that it describes", async () => {
    const app = whole();
    const { openapi, paths } = await described(app);
    expect(openapi).toBe("3.1.0");
    const written = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const mounted = app.routes
      .filter(({ method, path }) => method !== "ALL" && path !== "*" && path !== "/*")
      .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`);
    expect(new Set(written)).toEqual(new Set(mounted));
    expect(written).toHaveLength(Object.keys(ENDPOINTS).length);
  });

  it("leaves out what a server does not have", async () => {
    const { paths } = await described(setUp());
    expect(Object.keys(paths)).toContain("/v1/ask");
    expect(Object.keys(paths)).not.toContain("/metrics");
  });

  it("gives every operation its own name, its parameters, a body where it takes one, and what it answers", async () => {
    const { paths } = await described(whole());
    const operations = Object.entries(paths).flatMap(([path, methods]) => Object.values(methods).map((one) => ({ path, ...one })));
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    for (const { path, operationId, parameters, requestBody, responses } of operations) {
      const endpoint: Endpoint = ENDPOINTS[operationId as keyof typeof ENDPOINTS];
      const inPath = parameters.filter((one) => one.in === "path").map(({ name }) => `{${name}}`);
      expect(inPath).toEqual(path.match(/\{\w+\}/g) ?? []);
      expect(requestBody !== undefined).toBe(endpoint.body !== undefined);
      expect(Object.keys(responses)).toContain(String(endpoint.gives.status));
      expect(responses.default?.content).toHaveProperty(["application/problem+json"]);
    }
    const keys = paths["/v1/admin/keys"]?.post?.requestBody?.content["application/json"]?.schema;
    expect(keys).toMatchObject({ type: "object", required: expect.arrayContaining(["name", "by"]) });
  });

  it("is 304 to whoever has it", async () => {
    const app = setUp();
    const first = await app.request("/openapi.json");
    const again = await app.request("/openapi.json", { headers: { "if-none-match": first.headers.get("etag") ?? "" } });
    expect(again.status).toBe(304);
  });
});
