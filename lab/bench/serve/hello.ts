import { serve } from "@hono/node-server";
import { Hono } from "hono";

/** The least that a server of this kind can do: what the product's own speed is held against. Prints its address. */
const app = new Hono();
app.post("/v1/ask", async (context) => {
  const { question } = await context.req.json<{ question: string }>();
  return context.json({ hello: question });
});
serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, ({ port }) => process.stdout.write(`Listening on http://127.0.0.1:${port}\n`));
