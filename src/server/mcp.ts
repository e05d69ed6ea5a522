import { McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Engine } from "../engine/engine.ts";
import { VERSION } from "../package.ts";
import * as wire from "../wire/index.ts";
import { renderRefusalPlain, sourceLines } from "../writing/render.ts";
import { type Caller, narrow, type SessionIds } from "./access/caller.ts";
import type { ServerLog } from "./access/guard.ts";
import { endpoint } from "./endpoint.ts";
import { describeFailure } from "./error-response.ts";
import { readBody } from "./read-request.ts";

interface McpOptions {
  readonly engine: Pick<Engine, "answer" | "search" | "check" | "library" | "scope" | "store">;
  /** The caller with its permissions. */
  readonly caller: Caller;
  readonly log: Pick<ServerLog, "error">;
  /** Checks session ids. Absent: any session id is allowed, as for MCP over standard input. */
  readonly sessions?: SessionIds;
  /** Running calls. The engine must stay open until they end. */
  readonly running?: Set<Promise<unknown>>;
}

/** Maximum number of documents listed as resources. The tool `search` finds documents that are not listed. */
const MOST_RESOURCES = 500;

const askShape = wire.askRequestSchema.pick({ question: true, domain: true, tenant: true, detail: true, session_id: true, filters: true });
const searchShape = wire.searchRequestSchema.pick({ query: true, limit: true, domain: true, tenant: true, filters: true });

/**
 * Serves the Model Context Protocol (https://modelcontextprotocol.io) for one caller: tools `ask`, `search` and `check_answer`, and
 * documents as resources. Refusals and empty searches are normal results; errors are `isError` with a code.
 */
export function createMcpServer(options: McpOptions): McpServer {
  const server = new McpServer({ name: "sourcebound", version: VERSION });
  addAsk(server, options);
  addSearch(server, options);
  addCheck(server, options);
  addDocuments(server, options);
  return server;
}

function addAsk(server: McpServer, options: McpOptions): void {
  const { engine, caller, sessions } = options;
  const description =
    "Answers a question from the documents, every sentence with a citation of the exact quote, or refuses and says what was searched. A refusal is no answer, neither yes nor no.";
  server.registerTool("ask", { title: "Ask", description, inputSchema: askShape }, (given, { mcpReq }) =>
    reported(options, mcpReq.signal, async () => {
      const { question, detail, session_id: sessionId, filters } = given;
      sessions?.assertOpen(caller, sessionId);
      const asked = { ...narrow(caller, given), detail, sessionId: sessionId ?? null, filters: filters ?? null, signal: mcpReq.signal };
      const answered = await engine.answer(question, asked);
      const { id, status, citations, refusal, warnings, answer_plain: answer } = wire.answerToWire(answered);
      const general = warnings.filter(({ sentence }) => sentence === undefined).map(({ message }) => message);
      const said = answered.refusal === null ? answer : renderRefusalPlain(answered.refusal);
      const text = [...general, said, ...sourceLines(answered.citations)].join("\n");
      return { text, data: { id, status, answer, citations, refusal, warnings } };
    }),
  );
}

function addSearch(server: McpServer, options: McpOptions): void {
  const { engine, caller } = options;
  const description = "Passages of the documents for a question or words, best first; an empty list means that nothing was found.";
  const annotations = { readOnlyHint: true };
  server.registerTool("search", { title: "Search", description, inputSchema: searchShape, annotations }, (given, { mcpReq }) =>
    reported(options, mcpReq.signal, async () => {
      const { query, limit, filters } = given;
      const found = wire.searchToWire(await engine.search(query, { ...narrow(caller, given), limit, filters, signal: mcpReq.signal }));
      const lines = found.passages.map(({ sid, title, heading_path, text }) => `${sid} ${[title, ...heading_path].join(" › ")}\n${text}`);
      return { text: lines.length === 0 ? "No passage was found." : lines.join("\n\n"), data: found };
    }),
  );
}

function addCheck(server: McpServer, options: McpOptions): void {
  const { engine, caller } = options;
  const description =
    "Checks an answer sentence by sentence, against given texts, named documents, or the documents that a search finds: numbers, names, negation, wording, citations.";
  const config = { title: "Check an answer", description, inputSchema: wire.checkRequestSchema, annotations: { readOnlyHint: true } };
  server.registerTool("check_answer", config, (given, { mcpReq }) =>
    reported(options, mcpReq.signal, async () => {
      const { question, answer, sources, documents, profile } = given;
      const options = { ...narrow(caller, given), sources, documents, profile, signal: mcpReq.signal };
      const checked = wire.checkToWire(await engine.check(question, answer, options));
      const lines = checked.sentences.map(({ text, verdict, status, reason }) => `${verdict} (${status}): ${text}\n  ${reason}`);
      return { text: [checked.passed ? "Every check passed." : "Faults were found.", ...lines].join("\n"), data: checked };
    }),
  );
}

/** Adds documents as `sourcebound://DOMAIN/documents/ID`. The list contains the documents of the default domain. */
function addDocuments(server: McpServer, { engine, caller, running }: McpOptions): void {
  const list = async () => {
    const scope = narrow(caller, {});
    const { domain } = engine.scope(scope);
    const documents = (await engine.library(scope)).flatMap((file) => file.documents).slice(0, MOST_RESOURCES);
    const resources = documents.map(({ id, title, path }) => ({
      ...{ uri: `sourcebound://${domain}/documents/${encodeURIComponent(id)}`, name: title === "" ? path : title },
      ...{ description: path, mimeType: "text/plain" },
    }));
    return { resources };
  };
  const template = new ResourceTemplate("sourcebound://{domain}/documents/{id}", { list: () => held(running, list) });
  const config = {
    title: "Documents",
    description: "The whole normalised text of a document. Offsets of citations refer to this text.",
    mimeType: "text/plain",
  };
  server.registerResource("document", template, config, async (uri, { domain, id }) => {
    const key = decodeURIComponent(String(id));
    const scope = engine.scope(narrow(caller, { domain: String(domain) }));
    const document = (await held(running, () => engine.store.documents.load(scope, [key]))).get(key);
    if (document === undefined) throw new Error("The document does not exist or is not accessible to you.");
    return { contents: [{ uri: uri.href, mimeType: "text/plain", text: document.text }] };
  });
}

/** Returns a tool's result, or the error code and message. Rethrows if the call was aborted. */
async function reported({ log, running }: McpOptions, signal: AbortSignal, work: () => Promise<{ text: string; data: object }>) {
  try {
    const { text, data } = await held(running, work);
    return { content: [{ type: "text" as const, text }], structuredContent: { ...data } };
  } catch (error) {
    if (signal.aborted) throw error;
    const { code, message, warnings } = describeFailure(error, log).body.error;
    const text = [...(warnings ?? []).map((warning) => warning.message), `${code}: ${message}`].join("\n");
    return { content: [{ type: "text" as const, text }], isError: true };
  }
}

function held<T>(running: McpOptions["running"], work: () => Promise<T>): Promise<T> {
  const one = work();
  running?.add(one);
  return one.finally(() => running?.delete(one));
}

const messageSchema = z.looseObject({ method: z.string().optional() });
const messagesSchema = z.union([messageSchema, z.array(messageSchema).max(50)]);

/** MCP over HTTP, without MCP sessions: each request gets a new server object. Only tool calls count against the rate limit. */
export const mcpEndpoint = endpoint({
  ...{ method: "POST", path: "/mcp", opens: "ask", uncounted: true },
  what: "The Model Context Protocol: tools `ask`, `search`, `check_answer`, documents as resources. Only calls of tools count against the rate limit.",
  body: { schema: z.looseObject({}), long: true, unread: true },
  gives: { status: 200, schema: z.looseObject({}), events: true },
  handle: async ({ context, caller, signal }, { engine, guard, log, sessions }) => {
    const { createMcpHandler } = await import("@modelcontextprotocol/server");
    const parsedBody = await readBody(context, { schema: messagesSchema });
    const calls = [parsedBody].flat().filter(({ method }) => method === "tools/call");
    for (const _ of calls) await guard.admitAsker(context);
    const onerror = (error: Error) => log.error("mcp", { message: error.message });
    const handler = createMcpHandler(() => createMcpServer({ engine, caller, log, sessions }), { onerror });
    // The body is already parsed, so the new request carries only the headers.
    const request = new Request(context.req.url, { method: "POST", headers: context.req.raw.headers, signal });
    return handler.fetch(request, { parsedBody });
  },
});
