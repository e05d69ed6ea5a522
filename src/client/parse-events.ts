import { createParser } from "eventsource-parser";
import type { WireEvent } from "../wire/index.ts";
import { ClientError } from "./errors.ts";

const EVENT_NAMES: ReadonlySet<string> = new Set<WireEvent["event"]>(["stage", "notice", "warning", "sentence", "answer", "error"]);

/**
 * Reads Server-Sent Events. Events of names that this version does not know are skipped; ends when the stream ends, whole or cut:
 * whether an answer came is the caller's to judge.
 * @param onBytes called whenever something came, signs of life too
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
    // Tells the server that nobody reads on; a stream that has failed or ended has nothing to cancel.
    await reader.cancel().catch(() => {});
  }
}

function toWireEvent(event: WireEvent["event"], data: string): WireEvent {
  try {
    return { event, data: JSON.parse(data) } as WireEvent;
  } catch (cause) {
    throw new ClientError("invalid_response", `The server sent a "${event}" event that is not JSON.`, { cause });
  }
}
