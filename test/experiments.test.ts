import { expect, it } from "vitest";
import { experimentSchema } from "../src/wire/reports.ts";
import { openInTest } from "./support/engine.ts";
import { createKey, serveInTest } from "./support/keyed-app.ts";
import { CARD, UNANSWERABLE } from "./support/library.ts";

/** Enough for 30 sessions per variant. */
const SESSIONS = 90;
const VARIANTS = { control: { share: 0.5 }, stored: { share: 0.5, config: { cache: { enabled: true } } } };

it("gives each session one variant over HTTP, and reports the better one only after enough sessions", async () => {
  const settings = {
    ...{ "server.port": 0, "cache.enabled": false },
    experiments: { reuse: { variants: VARIANTS, metric: "cached", sessions: 30 } },
  };
  const library = await openInTest({ settings });
  const { url } = await serveInTest(library.engine);
  const key = await createKey(library, { roles: ["ask", "admin"] });
  const send = async (path: string, body?: unknown) => {
    const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
    const response = await fetch(`${url}${path}`, { ...init, headers });
    expect(response.status).toBe(200);
    return response.json();
  };
  const report = async () => experimentSchema.parse(await send("/v1/experiments/reuse"));
  const isStored = async (session: number, question: string) => {
    const { cache_mode: mode } = (await send("/v1/ask", { question, session_id: `s${session}` })) as { cache_mode: string };
    return mode !== "miss";
  };
  for (let session = 0; session < SESSIONS; session++) {
    await isStored(session, CARD);
    // Some sessions ask an unanswerable question, which is never cached.
    if (session % 3 === 0) expect(await isStored(session, UNANSWERABLE)).toBe(false);
    if (session === 10) expect((await report()).verdict.code).toBe("too_early");
  }
  const served = new Set<number>();
  for (let session = 0; session < SESSIONS; session++) if (await isStored(session, CARD)) served.add(session);
  for (let session = 0; session < 6; session++) expect(await isStored(session, CARD)).toBe(served.has(session));

  const { variants, verdict } = await report();
  const [control, stored] = variants;
  expect([control?.name, stored?.name]).toEqual(["control", "stored"]);
  expect((control?.assigned ?? 0) + (stored?.assigned ?? 0)).toBe(SESSIONS);
  expect(stored?.assigned).toBe(served.size);
  expect(stored?.compared).toMatchObject({ metric: "cached", control: 0 });
  expect(stored?.compared?.low).toBeGreaterThan(0.3);
  expect(verdict).toMatchObject({ code: "better", variant: "stored" });
});
