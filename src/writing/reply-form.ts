import { z } from "zod";
import type { ReplyForm } from "../models/chat.ts";
import { endOfValue, parseJson } from "../models/read-json.ts";
import { splitSentences } from "../text/sentences.ts";

/** The draft is not prose. Sentences before the fault stay; the rest is dropped. */
export class DraftError extends Error {}

/** The model's signal that the sources do not answer. */
export const INSUFFICIENT = "INSUFFICIENT";

/** Form of a written answer. `in_sources` comes first, so that nothing is shown if the model says that the sources do not answer. */
export const ANSWER_FORM: ReplyForm = {
  name: "answer",
  schema: {
    type: "object",
    properties: {
      in_sources: { type: "boolean", description: "false only if none of the sources says anything that answers the question" },
      sentences: {
        type: "array",
        items: {
          type: "object",
          properties: {
            text: { type: "string", description: "one complete sentence, without source numbers" },
            sources: { type: "array", items: { type: "integer" }, description: "numbers of the sources that say it" },
          },
          required: ["text", "sources"],
          additionalProperties: false,
        },
      },
    },
    required: ["in_sources", "sentences"],
    additionalProperties: false,
  },
};

const sentenceSchema = z.object({ text: z.string(), sources: z.array(z.int().min(0)).max(50) });

/** Matches the start of a JSON object, with or without a code fence. */
const JSON_START = /^\s*(?:```(?:json)?\s*)?\{\s*"/i;
/** Matches the beginning of a possible JSON object that is still incomplete. */
const MAYBE_JSON = /^\s*(?:`{1,3}(?:j|js|jso|json)?\s*)?(?:\{\s*)?$/i;
const DENIES = /"in_sources"\s*:\s*(true|false)/;

/**
 * Reads a streamed reply, wherever it is split. A reply in `ANSWER_FORM` becomes text with `[n]` behind every sentence, or
 * `INSUFFICIENT`; any other reply passes unchanged.
 */
export function createReplyReader() {
  let held = "";
  let form: "text" | "json" | null = null;
  let isDenied = false;
  let sentences = 0;
  /** @throws DraftError when a sentence does not have the form, or JSON ends without a sentence */
  const takeSentences = (last: boolean): string => {
    let text = "";
    for (let at = held.indexOf("{", 1); at > 0; at = held.indexOf("{", 1)) {
      isDenied ||= DENIES.exec(held.slice(0, at))?.[1] === "false";
      const end = endOfValue(held, at);
      if (end < 0) break;
      const sentence = sentenceSchema.safeParse(parseJson(held.slice(at, end)));
      if (!sentence.success) throw new DraftError("the answer consists of markup or data instead of sentences");
      held = `{${held.slice(end)}`;
      sentences++;
      text += markedText(sentence.data);
    }
    if (last && sentences === 0) isDenied ||= DENIES.test(held);
    else if (last) isDenied ||= DENIES.exec(held)?.[1] === "false";
    if (last && sentences === 0 && !isDenied) throw new DraftError("the answer consists of markup or data instead of sentences");
    return isDenied ? (last ? `${INSUFFICIENT}\n` : "") : text;
  };
  return {
    /** Adds text and returns the completed sentences. @param last no more text follows */
    take(more: string, last: boolean): string {
      if (form === "text") return more;
      held += more;
      if (form === null) {
        if (JSON_START.test(held)) {
          form = "json";
          held = held.slice(held.indexOf("{"));
        } else if (!last && MAYBE_JSON.test(held)) return "";
        else {
          form = "text";
          return held;
        }
      }
      return takeSentences(last);
    },
  };
}

/** Returns the text with its source numbers after every sentence. */
function markedText({ text, sources }: z.infer<typeof sentenceSchema>): string {
  const marks = sources.map((n) => `[${n}]`).join("");
  return splitSentences(text)
    .map(({ start, end }) => `${text.slice(start, end)} ${marks}\n\n`)
    .join("");
}
