import { serve } from "@hono/node-server";
import { Hono } from "hono";

/** A minimal server of the same kind, as a baseline. Prints its address. */
const app = new Hono();
app.post("/v1/ask", async (context) => {
  const { question } = await context.req.json<{ question: string }>();
  return context.json({ hello: question });
});
serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, ({ port }) => process.stdout.write(`Listening on http://127.0.0.1:${port}\n`));
