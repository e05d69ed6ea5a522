import { createInterface } from "node:readline";
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

/** Methods of requests that stay open with the connection; their answers are not awaited. */
const STANDING_METHODS: ReadonlySet<string> = new Set(["subscriptions/listen"]);

/** Transports Model Context Protocol messages, one per line. Unlike the SDK's, it answers all requests first and reports invalid lines. */
export function createLineTransport(stdin: AsyncIterable<Buffer>, write: (line: string) => void): LineTransport {
  const input = stdin instanceof Readable ? stdin : Readable.from(stdin);
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  const done = Promise.withResolvers<void>();
  const open = new Set<RequestId>();
  let ended = false;
  const finishWhenAnswered = () => {
    if (ended && open.size === 0) done.resolve();
  };
  const settle = (id: RequestId) => {
    open.delete(id);
    finishWhenAnswered();
  };
  const take = (line: string) => {
    if (line.trim() === "") return;
    const message = parseMessage(line);
    if (typeof message === "number") {
      const what = message === PARSE_ERROR ? "not valid JSON" : "not a JSON-RPC 2.0 message";
      const error = { code: message, message: `The line is ${what}. Send one message per line.` };
      return write(JSON.stringify({ jsonrpc: "2.0", id: null, error }));
    }
    if (isJSONRPCRequest(message) && !STANDING_METHODS.has(message.method)) open.add(message.id);
    transport.onmessage?.(message);
    // A cancelled request gets no answer.
    if (isJSONRPCNotification(message) && message.method === "notifications/cancelled") {
      const id = message.params?.requestId;
      if (typeof id === "string" || typeof id === "number") settle(id);
    }
  };
  const transport: LineTransport = {
    done: done.promise,
    async start() {
      input.on("error", (error) => transport.onerror?.(error));
      lines.on("line", take).on("close", () => {
        ended = true;
        finishWhenAnswered();
      });
    },
    async send(message) {
      write(JSON.stringify(message));
      if (isJSONRPCResponse(message) && message.id !== undefined) settle(message.id);
    },
    async close() {
      lines.close();
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
