/**
 * One Server-Sent Event (https://html.spec.whatwg.org/multipage/server-sent-events.html). JSON holds no raw line breaks; U+0085, U+2028
 * and U+2029 are escaped as well, because some parsers split lines at them.
 */
export function encodeEvent(event: string, data: unknown): string {
  const json = JSON.stringify(data).replace(/[\u0085\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return `event: ${event}\ndata: ${json}\n\n`;
}

/** One event without a name, as OpenAI's API sends them. */
export function encodeData(data: unknown): string {
  return encodeEvent("message", data).replace(/^event: message\n/, "");
}

/** A comment: keeps the connection open and is no event. */
export const HEARTBEAT_FRAME = ": heartbeat\n\n";

export interface FrameStreamOptions {
  /** Milliseconds between heartbeats. */
  readonly heartbeatMs: number;
  /** Called once when the reader goes away before the end. */
  readonly onCancel: () => void;
}

/** Frames as a byte stream, with heartbeats while the source is silent. The source is read only as fast as the reader takes. */
export function streamFrames(
  frames: AsyncGenerator<string, void>,
  { heartbeatMs, onCancel }: FrameStreamOptions,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let heartbeat: NodeJS.Timeout | undefined;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      // A reader that takes nothing gets nothing more: heartbeats would pile up for as long as it stays.
      heartbeat = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(HEARTBEAT_FRAME));
      }, heartbeatMs);
      heartbeat.unref();
    },
    async pull(controller) {
      const next = await frames.next();
      if (!next.done) {
        controller.enqueue(encoder.encode(next.value));
        return;
      }
      clearInterval(heartbeat);
      controller.close();
    },
    cancel() {
      clearInterval(heartbeat);
      onCancel();
      // Runs the clean-up of a source that waits to be read; its outcome interests nobody any more.
      frames.return().catch(() => {});
    },
  });
}
