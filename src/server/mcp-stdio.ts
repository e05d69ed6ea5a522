import { Readable } from "node:stream";
import {
  INVALID_REQUEST,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  PARSE_ERROR,
  parseJSONRPCMessage,
  type RequestId,
  type Transport,
} from "@modelcontextprotocol/server";

export interface LineTransport extends Transport {
  /** Resolves when the input has ended and every request is answered, or the transport was closed. */
  readonly done: Promise<void>;
}

/** Maximum bytes of a line, far above the largest answer to check with its sources. */
const MAX_LINE_BYTES = 10 * 1024 * 1024;
/** Methods of requests that stay open with the connection; their answers are not awaited. */
const STANDING_METHODS: ReadonlySet<string> = new Set(["subscriptions/listen"]);

/** Transports Model Context Protocol messages, one per line. Unlike the SDK's, it answers all requests first and reports invalid lines. */
export function createLineTransport(stdin: AsyncIterable<Buffer>, write: (line: string) => void): LineTransport {
  const input = stdin instanceof Readable ? stdin : Readable.from(stdin);
  const done = Promise.withResolvers<void>();
  const open: RequestId[] = [];
  let ended = false;
  const finishWhenAnswered = () => {
    if (ended && open.length === 0) done.resolve();
  };
  const settle = (id: RequestId) => {
    const at = open.indexOf(id);
    if (at >= 0) open.splice(at, 1);
    finishWhenAnswered();
  };
  const refuse = (code: number, message: string) => write(JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message } }));
  const take = (line: Buffer | null) => {
    if (line === null) return refuse(PARSE_ERROR, `The line exceeds ${MAX_LINE_BYTES} bytes. Send a shorter message.`);
    const text = line.toString("utf8").trim();
    if (text === "") return;
    const message = parseMessage(text);
    if (typeof message === "number") {
      const what = message === PARSE_ERROR ? "not valid JSON" : "not a JSON-RPC 2.0 message";
      return refuse(message, `The line is ${what}. Send one message per line.`);
    }
    if (isJSONRPCRequest(message) && !STANDING_METHODS.has(message.method)) open.push(message.id);
    transport.onmessage?.(message);
    // A cancelled request gets no answer.
    if (isJSONRPCNotification(message) && message.method === "notifications/cancelled") {
      const id = message.params?.requestId;
      if (typeof id === "string" || typeof id === "number") settle(id);
    }
  };
  const lines = createLines(take);
  const onError = (error: Error) => transport.onerror?.(error);
  const onEnd = () => {
    if (ended) return;
    lines.end();
    ended = true;
    finishWhenAnswered();
  };
  const transport: LineTransport = {
    done: done.promise,
    async start() {
      input.on("data", lines.add).on("error", onError).on("end", onEnd).on("close", onEnd);
    },
    async send(message) {
      write(JSON.stringify(message));
      if (isJSONRPCResponse(message) && message.id !== undefined) settle(message.id);
    },
    async close() {
      input.off("data", lines.add).off("error", onError).off("end", onEnd).off("close", onEnd).pause();
      done.resolve();
      transport.onclose?.();
    },
  };
  return transport;
}

/** Returns the message of a line, or an error code. */
function parseMessage(text: string): JSONRPCMessage | number {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    return PARSE_ERROR;
  }
  try {
    return parseJSONRPCMessage(given);
  } catch {
    return INVALID_REQUEST;
  }
}

/** Splits bytes into lines; `null` marks a line that is too long. */
function createLines(take: (line: Buffer | null) => void) {
  let parts: Buffer[] = [];
  let bytes = 0;
  const keep = (part: Buffer) => {
    bytes += part.length;
    if (bytes > MAX_LINE_BYTES) parts = [];
    else parts.push(part);
  };
  const end = () => {
    const line = bytes > MAX_LINE_BYTES ? null : Buffer.concat(parts);
    parts = [];
    bytes = 0;
    take(line);
  };
  const add = (chunk: Buffer) => {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      keep(chunk.subarray(from, at));
      end();
      from = at + 1;
    }
    keep(chunk.subarray(from));
  };
  return { add, end };
}
