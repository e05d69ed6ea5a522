import { createParser } from "eventsource-parser";
import { z } from "zod";
import { messageOf } from "../../shared/errors.ts";
import { CallFailure, type EndpointOptions, httpFailure, shownText } from "./call.ts";

const TAGS = { open: "<think>", close: "</think>" } as const;

/** Leaves out what a model thinks aloud, wherever its pieces are cut; what stands before and behind a thought is parted by a line's end. */
export function createThoughtFilter() {
  let held = "";
  let isThought = false;
  let isApart = false;
  let hasText = false;

  function shown(text: string): string {
    if (isThought || text === "") return "";
    const parted = isApart && hasText ? `\n${text}` : text;
    isApart = false;
    hasText = true;
    return parted;
  }

  return {
    next(piece: string): string {
      held += piece;
      let text = "";
      for (;;) {
        const tag = isThought ? TAGS.close : TAGS.open;
        const at = tagStart(held, tag);
        text += shown(held.slice(0, at));
        held = held.slice(at);
        if (held.length < tag.length) return text;
        held = held.slice(tag.length);
        isThought = !isThought;
        isApart = true;
      }
    },
    /** What was held back as the beginning of a tag that did not come. */
    end: () => shown(held),
  };
}

/** Where the tag begins in a text, or what may become it at the text's end; the text's length: nowhere. */
function tagStart(text: string, tag: string): number {
  const whole = text.indexOf(tag);
  if (whole >= 0) return whole;
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--)
    if (text.endsWith(tag.slice(0, length))) return text.length - length;
  return text.length;
}

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
