import { createParser } from "eventsource-parser";
import { z } from "zod";
import { messageOf } from "../../errors.ts";
import { CallFailure, type EndpointOptions, httpFailure, shownText } from "./call.ts";

/** Characters of a reply, and of its content type, that are shown. */
const SHOWN_CHARACTERS = 80;
/** Characters of a reply from which they are taken, so that a key in them is whole. */
const KEPT_CHARACTERS = 2000;

const errorSchema = z.object({ error: z.object({ message: z.string() }) });

/** Posts JSON to a path of an OpenAI-compatible endpoint. @throws CallFailure when it cannot be reached or says that it failed */
export async function postJson(
  path: string,
  body: unknown,
  { baseUrl, apiKey }: Pick<EndpointOptions, "baseUrl" | "apiKey">,
  signal: AbortSignal,
): Promise<Response> {
  const headers = { "content-type": "application/json", ...(apiKey === "" ? {} : { authorization: `Bearer ${apiKey}` }) };
  const url = `${baseUrl.replace(/\/$/, "")}/${path}`;
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body), signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new CallFailure(`Cannot connect to API: ${messageOf(error instanceof Error && error.cause !== undefined ? error.cause : error)}`);
  });
  if (response.ok) return response;
  const said = await response
    .text()
    .then(JSON.parse)
    .catch(() => null);
  throw httpFailure(response, errorSchema.safeParse(said).data?.error.message ?? response.statusText, apiKey);
}

/** Data of Server-Sent Events. @param onText told whatever text came, for `unexpectedReply` */
export async function* readEvents({ body }: Response, onText: (text: string) => void): AsyncGenerator<string, void> {
  const ready: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => ready.push(data) });
  const decoder = new TextDecoder();
  let characters = 0;
  for await (const bytes of body ?? []) {
    const text = decoder.decode(bytes, { stream: true });
    if (characters < KEPT_CHARACTERS) onText(text.slice(0, KEPT_CHARACTERS - characters));
    characters += text.length;
    parser.feed(text);
    yield* ready.splice(0);
  }
}

/** Does a reply begin as a stream of events does? */
export function isEventStream(head: string): boolean {
  return /^\s*(?:data|event|id|retry)?:/.test(head);
}

/**
 * The failure that something else came than was wanted.
 * @param setting that names the endpoint, such as `model.base_url`
 */
export function unexpectedReply(
  wanted: string,
  { type, head }: { readonly type: string; readonly head: string },
  apiKey: string,
  setting: string,
): CallFailure {
  const [kind, beginning] = [type === "" ? "text of no stated type" : type, head.slice(0, KEPT_CHARACTERS)].map((text) =>
    shownText(text, apiKey, SHOWN_CHARACTERS),
  );
  return new CallFailure(
    `${wanted} was expected, and ${kind} came that begins “${beginning}”: check that ${setting} is the address of an OpenAI-compatible endpoint (most end in /v1), and that no login page or proxy answers in its place`,
  );
}
