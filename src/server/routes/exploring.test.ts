import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import { RequestError } from "../../errors.ts";
import type { Evaluation } from "../../grade/run-evaluation.ts";
import type { Evaluations } from "../../grade/evaluations.ts";
import { evaluationHandlers } from "./exploring.ts";

const run = (id: string): Evaluation => ({
  ...{ id, domain: "d", profile: null, questions: null, state: "done", done: 1, total: 1, reason: null },
  ...{ startedAt: "2026-11-21T10:00:00.000Z", endedAt: null, report: null, latenciesMs: [] },
});

describe("the list of golden runs", () => {
  const evaluations = { list: async () => ["c", "b", "a"].map(run) } as unknown as Evaluations;
  const { evaluations: list } = evaluationHandlers({} as Parameters<typeof evaluationHandlers>[0], evaluations);
  if (list === undefined) throw new Error("no such route");
  const app = new Hono().get("/", list).onError((error, context) => context.text(error instanceof RequestError ? error.code : "?", 400));
  const read = async (query: string) => {
    const response = await app.request(`/?${query}`);
    return response.status === 200 ? ((await response.json()) as { items: { id: string }[]; next_cursor: string | null }) : response.text();
  };

  it("comes in pages, and a cursor that the server never gave is refused", async () => {
    const first = await read("limit=2");
    if (typeof first === "string") throw new Error(first);
    expect(first.items.map(({ id }) => id)).toEqual(["c", "b"]);
    const last = await read(`limit=2&cursor=${first.next_cursor}`);
    expect(last).toMatchObject({ items: [{ id: "a" }], next_cursor: null });
    expect(await read("cursor=abc")).toBe("cursor_invalid");
    expect(await read("page=2")).toBe("invalid_request");
    expect(await read("")).toMatchObject({ next_cursor: null });
  });
});
