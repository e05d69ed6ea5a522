import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createClient } from "./client.ts";
import { parseEvents } from "./parse-events.ts";

const stage = { event: "stage", data: { stage: "admit", phase: "start" } } as const;

function frame({ event, data }: { event: string; data: unknown }): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

function streamOf(chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

function clientAnswering(body: BodyInit | null, status = 200, contentType = "text/event-stream") {
  return createClient({
    baseUrl: "http://server.test/",
    fetch: async () => new Response(body, { status, headers: { "content-type": contentType } }),
  });
}

describe("the client", () => {
  it("throws the server's error with its code, status and data", async () => {
    const body = JSON.stringify({ error: { code: "question_too_long", message: "Too long.", data: { limit: 500 } } });
    const failed = { code: "question_too_long", message: "Too long.", status: 400, data: { limit: 500 } };
    await expect(clientAnswering(body, 400, "application/json").ask({ question: "q" })).rejects.toMatchObject(failed);
    await expect(Array.fromAsync(clientAnswering(body, 400, "application/json").stream({ question: "q" }))).rejects.toMatchObject(failed);
  });

  it.each([
    ["invalid_response", "<html>", 502, "text/html"],
    ["invalid_response", "<html>", 200, "text/html"],
  ])("throws %s for a foreign response: %s, %i", async (code, body, status, type) => {
    await expect(clientAnswering(body, status, type).ask({ question: "q" })).rejects.toMatchObject({ code });
  });

  it.each<[code: string, body: BodyInit, type?: string]>([
    ["invalid_response", "{}\n{}\n", "application/x-ndjson"],
    ["invalid_response", "event: answer\ndata: {oops\n\n"],
    ["stream_cut", frame(stage)],
    ["stream_cut", 'event: answer\ndata: {"id":"a'],
    ["stream_cut", new ReadableStream({ start: (controller) => controller.error(new TypeError("terminated")) })],
  ])("throws %s for an invalid or incomplete stream: %j", async (code, body, type) => {
    await expect(Array.fromAsync(clientAnswering(body, 200, type).stream({ question: "q" }))).rejects.toMatchObject({ code });
  });

  it("throws `unreachable` without a connection, and the reason of an abort", async () => {
    const client = createClient({ baseUrl: "http://127.0.0.1:1" });
    await expect(client.ask({ question: "q" })).rejects.toMatchObject({ code: "unreachable" });
    const signal = AbortSignal.abort();
    await expect(client.ask({ question: "q" }, { signal })).rejects.toMatchObject({ name: "AbortError" });
  });

  it("ends with the reason of an abort while the stream is silent", async () => {
    const abort = new AbortController();
    const silent = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode(frame(stage))) });
    const events = clientAnswering(silent).stream({ question: "q" }, { signal: abort.signal });
    expect((await events.next()).value).toEqual(stage);
    abort.abort(new Error("enough"));
    await expect(events.next()).rejects.toThrow("enough");
  });

  it("throws an error event with its code, after the events before it", async () => {
    const events = clientAnswering(frame(stage) + frame({ event: "error", data: { code: "model_failed", message: "No." } })).stream({
      question: "q",
    });
    expect((await events.next()).value).toEqual(stage);
    await expect(events.next()).rejects.toMatchObject({ code: "model_failed", message: "No." });
  });
});

describe("parseEvents", () => {
  it("skips comments and unknown events", async () => {
    const text = `: heartbeat\n\n${frame({ event: "tomorrow", data: {} })}${frame(stage)}`;
    expect(await Array.fromAsync(parseEvents(new Blob([text]).stream()))).toEqual([stage]);
  });

  it("returns the events for any division into chunks", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: "grapheme" }), { maxLength: 5 }),
        fc.array(fc.nat(400), { maxLength: 8 }),
        async (texts, cuts) => {
          const events = texts.map((text, index) => ({ event: "sentence" as const, data: { index, text, citations: [] } }));
          const bytes = new TextEncoder().encode(events.map(frame).join(": heartbeat\n\n"));
          const places = [0, ...cuts.filter((cut) => cut < bytes.length).toSorted((a, b) => a - b), bytes.length];
          const chunks = places.slice(1).map((end, index) => bytes.slice(places[index], end));
          expect(await Array.fromAsync(parseEvents(streamOf(chunks)))).toEqual(events);
        },
      ),
    );
  });
});
