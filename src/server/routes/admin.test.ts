import { describe, expect, it } from "vitest";
import type { Evaluations } from "../../grading/evaluations.ts";
import type { Evaluation } from "../../grading/run-evaluation.ts";
import { createFakeAskEngine } from "../../testing/fake-ask-engine.ts";
import { createApp } from "../app.ts";
import { silentLog } from "../log.ts";

const run = (id: string): Evaluation => ({
  ...{ id, domain: "d", profile: null, questions: null, state: "done", done: 1, total: 1, reason: null },
  ...{ startedAt: "2026-11-21T10:00:00.000Z", endedAt: null, report: null, latenciesMs: [] },
});

describe("the list of golden runs", () => {
  const evaluations = { list: async () => ["c", "b", "a"].map(run) } as unknown as Evaluations;
  const engine = createFakeAskEngine(async function* () {});
  const app = createApp({ engine, evaluations, adminToken: "a-token", log: silentLog, webRoot: "/nowhere" });
  const read = async (query: string) => {
    const response = await app.request(`/v1/evaluations?${query}`, { headers: { authorization: "Bearer a-token" } });
    const body = (await response.json()) as { items: { id: string }[]; next_cursor: string | null; error?: { code: string } };
    return { ...body, code: body.error?.code };
  };

  it("comes in pages, and a cursor that the server never gave is refused", async () => {
    const first = await read("limit=2");
    expect(first.items.map(({ id }) => id)).toEqual(["c", "b"]);
    expect(await read(`limit=2&cursor=${first.next_cursor}`)).toMatchObject({ items: [{ id: "a" }], next_cursor: null });
    expect((await read("cursor=abc")).code).toBe("cursor_invalid");
    expect((await read("page=2")).code).toBe("invalid_request");
    expect((await read("")).next_cursor).toBeNull();
  });
});
