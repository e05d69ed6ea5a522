import { createParser } from "eventsource-parser";
import type { WireEvent } from "../wire/index.ts";
import { ClientError } from "./errors.ts";

const EVENT_NAMES: ReadonlySet<string> = new Set<WireEvent["event"]>(["stage", "notice", "warning", "sentence", "answer", "error"]);

/**
 * Parses Server-Sent Events. Events with unknown names are skipped. The generator ends with the stream, even without an
 * `answer` event, so the caller must check that there was one.
 * @param onBytes called whenever data arrives, including heartbeats
 */
export async function* parseEvents(body: ReadableStream<Uint8Array>, onBytes?: () => void): AsyncGenerator<WireEvent, void> {
  const ready: WireEvent[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => {
      if (event !== undefined && EVENT_NAMES.has(event)) ready.push(toWireEvent(event as WireEvent["event"], data));
    },
  });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onBytes?.();
      parser.feed(decoder.decode(value, { stream: true }));
      yield* ready.splice(0);
    }
  } finally {
    // Close the connection. An error is ignored: it only means that the stream has already failed or ended.
    await reader.cancel().catch(() => {});
  }
}

function toWireEvent(event: WireEvent["event"], data: string): WireEvent {
  try {
    return { event, data: JSON.parse(data) } as WireEvent;
  } catch (cause) {
    throw new ClientError("invalid_response", `The server sent a "${event}" event that is not valid JSON. Ask again.`, { cause });
  }
}
