import { createParser } from "eventsource-parser";
import { z } from "zod";
import { messageOf } from "../../shared/errors.ts";
import { CallFailure, type EndpointOptions, httpFailure, shownText } from "./call.ts";

const TAGS = { open: "<think>", close: "</think>" } as const;

/**
 * Creates a filter that removes a model's reasoning (`<think>…</think>`) from a stream of texts. A tag may be split
 * between two texts. A line break replaces the reasoning between two visible texts.
 */
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
    /** Ends the stream. Returns text that was held back because it could have been the start of a tag. */
    end: () => shown(held),
  };
}

/**
 * Returns the offset of a tag. If the text ends with a possible start of the tag, such as `<thi`, returns the offset of
 * this start. Otherwise returns the length of the text.
 */
function tagStart(text: string, tag: string): number {
  const whole = text.indexOf(tag);
  if (whole >= 0) return whole;
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--)
    if (text.endsWith(tag.slice(0, length))) return text.length - length;
  return text.length;
}

/** Maximum characters of a reply, and of its content type, that an error message quotes. */
const SHOWN_CHARACTERS = 80;
/**
 * Number of characters of a reply that are stored for an error message. The message quotes fewer (`SHOWN_CHARACTERS`). So
 * an API key that begins in the quoted text is stored completely and can be redacted.
 */
const KEPT_CHARACTERS = 2000;

const faultSchema = z.object({ message: z.string(), code: z.unknown().optional(), type: z.unknown().optional() });
/** Schema of an error: `{ error: { message } }` from OpenAI, `{ error }` from Ollama, or `{ message }` from vLLM. */
const errorSchema = z.union([
  z.object({ error: faultSchema }).transform(({ error }) => error),
  z.object({ error: z.string() }).transform(({ error }) => ({ message: error, code: undefined, type: undefined })),
  faultSchema,
]);
/** Error codes of OpenAI, Azure and llama.cpp for a prompt that exceeds the model's context. */
const TOO_LONG: ReadonlySet<unknown> = new Set(["context_length_exceeded", "exceed_context_size_error"]);

const TOO_LONG_ADVICE = "Set model.prompt_tokens below the context of the model";

/** Posts JSON to an OpenAI-compatible endpoint. @throws CallFailure if the endpoint cannot be reached or returns an error */
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
    const { cause = error } = error instanceof Error ? error : {};
    throw new CallFailure(`cannot connect to the API: ${messageOf(cause)}`);
  });
  if (response.ok) return response;
  const fault = errorSchema.safeParse(await response.json().catch(() => null)).data;
  const isTooLong = fault !== undefined && (TOO_LONG.has(fault.code) || TOO_LONG.has(fault.type));
  throw httpFailure(response, fault?.message ?? response.statusText, apiKey, isTooLong ? TOO_LONG_ADVICE : undefined);
}

/** Yields the data of Server-Sent Events. @param onText called with the first `KEPT_CHARACTERS` of the reply, for `unexpectedReply` */
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

/** Returns whether a reply begins like a stream of events. */
export function isEventStream(head: string): boolean {
  return /^\s*(?:data|event|id|retry)?:/.test(head);
}

/**
 * Returns the failure for a reply of an unexpected type.
 * @param setting name of the setting that holds the endpoint's address, such as `model.base_url`
 */
export function unexpectedReply(
  expectedFormat: string,
  { type, head }: { readonly type: string; readonly head: string },
  apiKey: string,
  setting: string,
): CallFailure {
  const receivedFormat = shownText(type || "text of an unspecified type", apiKey, SHOWN_CHARACTERS);
  const beginning = shownText(head.slice(0, KEPT_CHARACTERS), apiKey, SHOWN_CHARACTERS);
  const message = `expected ${expectedFormat}, but received ${receivedFormat} beginning with “${beginning}”. Check that ${setting} is the address of an OpenAI-compatible endpoint (most end in /v1), and that no login page or proxy answers instead`;
  return new CallFailure(message);
}
