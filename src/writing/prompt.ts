import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { type ChatPrompt, fillSlots, type ReplyForm } from "../models/chat.ts";
import { endOfValue, parseJson } from "../models/read-json.ts";
import { PACKAGE_ROOT } from "../package.ts";
import type { Turn } from "../shared/types.ts";
import { splitSentences } from "../text/sentences.ts";
import { type CompleteQuote, withNeighbours } from "./quotes.ts";
import { listSource, type OfferedSource, oneLine } from "./sources.ts";

/** Folder of the prompt files, which have named slots `{{name}}`. The built program reads them from `src` too. */
const PROMPTS = join(PACKAGE_ROOT, "src", "writing", "prompts");

/** The content of a prompt. */
export interface Asked {
  readonly question: string;
  readonly sources: readonly OfferedSource[];
  /** Earlier turns. They serve only to understand the question. */
  readonly history: readonly Turn[];
  /** Additional rules of the profile, one line each. */
  readonly rules?: readonly string[] | undefined;
}

/** Builds the grounded prompt: rules, numbered sources, earlier turns and the question. */
export function groundedPrompt({ question, sources, history, rules = [] }: Asked): ChatPrompt {
  const common = readPrompt("grounded.system.md");
  const last = common.match(/^\d+\. /gm)?.length ?? 0;
  const turns = history.map((turn) => `- Q: ${oneLine(turn.question)}\n  A: ${oneLine(turn.answer)}`).join("\n");
  return {
    system: fillSlots(common, { further: rules.map((rule, i) => `${last + 1 + i}. ${rule}\n`).join("") }),
    user: fillSlots(readPrompt("grounded.user.md"), {
      history: turns === "" ? "" : `Earlier in this conversation (only to understand the question; never a source):\n${turns}\n\n`,
      sources: sources.map((source, i) => listSource(source, i + 1)).join("\n"),
      question,
    }),
  };
}

/** Builds the prompt by which a model selects, from numbered passages, those that answer. */
export function choosePrompt(question: string, candidates: readonly CompleteQuote[], most: number): ChatPrompt {
  const listed = candidates.map((candidate, i) => {
    const { passage } = candidate.quote;
    return listSource({ passage, stretches: withNeighbours(candidate), citable: [] }, i + 1);
  });
  return {
    system: readPrompt("choose.system.md"),
    user: fillSlots(readPrompt("choose.user.md"), { passages: listed.join("\n"), question, most: String(most) }),
  };
}

/** Returns a prompt file. Its slots are not filled. */
export function readPrompt(name: string): string {
  return readFileSync(join(PROMPTS, name), "utf8");
}

/** Error for a draft that is not prose. Sentences before the fault are used; the rest is dropped. */
export class DraftError extends Error {}

/** Reply by which a model says that the sources do not answer. */
export const INSUFFICIENT = "INSUFFICIENT";

/**
 * JSON form of a written answer. `in_sources` comes first: if it is `false`, the sources do not answer, and no sentence
 * is shown.
 */
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

/** Matches the start of a JSON object, also inside a code fence. */
const JSON_START = /^\s*(?:```(?:json)?\s*)?\{\s*"/i;
/** Matches text that is too short to tell whether a JSON object starts. */
const MAYBE_JSON = /^\s*(?:`{1,3}(?:j|js|jso|json)?\s*)?(?:\{\s*)?$/i;
const DENIES = /"in_sources"\s*:\s*(true|false)/;

/**
 * Returns a reader of a streamed reply, which may be split anywhere. A reply in `ANSWER_FORM` becomes text with `[n]`
 * after every sentence, or `INSUFFICIENT`. Any other reply is returned unchanged.
 */
export function createReplyReader() {
  let held = "";
  let form: "text" | "json" | null = null;
  let isDenied = false;
  let sentences = 0;
  /** @throws DraftError when a sentence does not match its schema, or the JSON ends without a sentence */
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
    const denial = last ? DENIES.exec(held)?.[1] : undefined;
    isDenied ||= denial === "false" || (denial === "true" && sentences === 0);
    if (last && sentences === 0 && !isDenied) throw new DraftError("the answer consists of markup or data instead of sentences");
    return isDenied ? (last ? `${INSUFFICIENT}\n` : "") : text;
  };
  return {
    /** Adds text and returns the completed sentences. @param last true if no more text follows */
    take(more: string, last: boolean): string {
      if (form === "text") return more;
      held += more;
      if (form === "json") return takeSentences(last);
      if (!last && !JSON_START.test(held) && MAYBE_JSON.test(held)) return "";
      form = JSON_START.test(held) ? "json" : "text";
      if (form === "text") return held;
      held = held.slice(held.indexOf("{"));
      return takeSentences(last);
    },
  };
}

function markedText({ text, sources }: z.infer<typeof sentenceSchema>): string {
  const marks = sources.map((n) => `[${n}]`).join("");
  return splitSentences(text)
    .map(({ start, end }) => `${text.slice(start, end)} ${marks}\n\n`)
    .join("");
}
