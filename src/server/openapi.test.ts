import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createFakeAskEngine } from "../testing/fake-ask-engine.ts";
import { silentLog } from "./access/guard.ts";
import { createApp, ENDPOINTS, type Endpoint } from "./app.ts";
import { createMetrics, type Metrics } from "./serving.ts";

function setUp(metrics?: Metrics) {
  return createApp({ engine: createFakeAskEngine(), metrics, log: silentLog, webRoot: "/nowhere" });
}

describe("GET /openapi.json", () => {
  it("declares `cursor` exactly for responses with `next_cursor`", () => {
    const has = (schema: unknown, name: string) => schema instanceof z.ZodObject && name in schema.shape;
    for (const { path, query, gives } of Object.values<Endpoint>(ENDPOINTS)) {
      expect([path, has(query, "cursor"), has(query, "limit") || !has(query, "cursor")]).toEqual([
        path,
        has(gives.schema, "next_cursor"),
        true,
      ]);
    }
  });

  it("omits what a server does not have", async () => {
    const paths = async (app: ReturnType<typeof setUp>) => {
      const { paths: found } = (await (await app.request("/openapi.json")).json()) as { paths: Readonly<Record<string, object>> };
      return ["/v1/ask", "/metrics", "/v1/evaluations"].filter((path) => path in found);
    };
    expect(await paths(setUp())).toEqual(["/v1/ask"]);
    expect(await paths(setUp(createMetrics()))).toEqual(["/v1/ask", "/metrics"]);
  });
});
