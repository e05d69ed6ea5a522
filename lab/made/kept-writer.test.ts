import { afterEach, expect, test } from "vitest";
import { type FakeEndpoint, startFakeEndpoint } from "../../src/testing/fake-endpoint.ts";
import { startKeptWriter } from "./kept-writer.ts";
import type { KeptWriter } from "./kept-writing.ts";

const open: (FakeEndpoint | KeptWriter)[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function writerOf(body: string, status = 200): Promise<KeptWriter> {
  const real = await startFakeEndpoint({ chat: [{ type: "status", status, body }] });
  const writer = await startKeptWriter({ base_url: `${real.url}/`, api_key: "", timeout_ms: 10_000 });
  open.push(writer, real);
  return writer;
}

async function askOf({ url }: KeptWriter, content: string): Promise<Response> {
  const body = JSON.stringify({ model: "small", messages: [{ role: "user", content }], stream: true });
  return fetch(`${url}/chat/completions`, { method: "POST", body });
}

const PROMPT = "Sources:\n[1] Two kilograms cost 7 euros.\n\nQuestion: What does it cost?\nAnswer:";
const reply = (content: string | null) => JSON.stringify({ choices: [{ message: { content }, finish_reason: "stop" }], usage: null });

test("passes a real model's reply on as it is, and keeps prompt and sentences of one question", async () => {
  const writer = await writerOf(reply("It costs 7 euros [1]. Cards are free [[2]]."));
  writer.begin({ answer: "", goldQuotes: [] });
  expect(await (await askOf(writer, PROMPT)).text()).toContain("It costs 7 euros [1]. Cards are free [[2]].");
  expect([writer.knows, writer.prompts, writer.written]).toEqual([false, [PROMPT], ["It costs 7 euros.", "Cards are free."]]);
  writer.begin({ answer: "", goldQuotes: [] });
  expect([writer.prompts, writer.written]).toEqual([[], []]);
});

test("keeps nothing of a call that is for no answer", async () => {
  const writer = await writerOf(reply('{"quotes": []}'));
  await (await askOf(writer, `${PROMPT}\nPassages:\n[1] It costs 7 euros.`)).text();
  expect([writer.prompts, writer.written]).toEqual([[], []]);
});

test.each([
  ["fails", "no", 500],
  ["gives no reply that can be read", '{"choices": []}', 200],
])("a model that %s is a failed call, and ends nothing", async (_what, body, status) => {
  const writer = await writerOf(body, status);
  expect((await askOf(writer, PROMPT)).status).toBe(502);
  expect((await askOf(writer, PROMPT)).status).toBe(502);
  expect(writer.written).toEqual([]);
});
