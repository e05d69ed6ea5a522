// Answers inside your own Hono app: node hono.mjs serves on PORT (8788) from the documents that were ingested in the working directory.
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { answerToWire, createEngine, loadProcessConfig, SourceboundError } from "sourcebound";

const engine = await createEngine(loadProcessConfig());
const app = new Hono();

app.post("/help", async (context) => {
  const { question } = await context.req.json();
  // Your own sign-in decides what the caller may see: pass `tenant` and `access` here.
  const answer = await engine.answer(question, { signal: context.req.raw.signal });
  const { answer_html, citations, refusal } = answerToWire(answer);
  return context.json({ html: answer_html, sources: citations.map(({ title, quote }) => ({ title, quote })), refusal: refusal?.message });
});
app.onError((error, context) =>
  error instanceof SourceboundError
    ? context.json({ code: error.code, message: error.message }, 400)
    : context.json({ code: "internal" }, 500),
);

const server = serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 8788) }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}/help`),
);
process.on("SIGTERM", () => server.close(() => engine.close()));
