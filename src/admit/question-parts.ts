import { AUXILIARY, type Clause, clausesOf, JOINED } from "../reading/clauses.ts";
import type { QuestionPart } from "../types.ts";
import { pointsBack, resolveFollowUp, topicWords } from "./follow-up.ts";

/** Questions of one message at most: who asks more is answered as a whole. */
const MAX_PARTS = 4;

/** Before the word that asks: "by when", "in which year". */
const BEFORE = "(?:(?:about|after|at|before|by|for|from|in|of|on|since|till|to|under|until|with|within)\\s+)?";
/** "Which one can", "how much weight does", "who kept": a question word, with its verb behind it or doing something itself. */
const QUESTION_WORD = [
  String.raw`(?:when|where|why)(?:['’]?s|\s+${AUXILIARY})\b`,
  String.raw`(?:what|which|who|whom|whose|how)(?:['’]?s|(?:\s+[\p{L}\d'’-]+){0,3}?\s+${AUXILIARY})\b`,
  String.raw`(?:what|how)\s+(?:about|if|come)\b`,
  String.raw`who\s+\p{L}+`,
].join("|");
const ASKS = new RegExp(`${JOINED}${BEFORE}(?:${QUESTION_WORD})`, "iu");
/** The same where what asks is what is done: "what happened", "how many boats struck". */
const ASKS_OF_DOER = new RegExp(String.raw`${JOINED}${BEFORE}(?:what|which|whose|how\s+(?:many|much|often|long))\s+\p{L}`, "iu");
/** "Is there", "can I": whether something is so. */
const ASKS_WHETHER = new RegExp(String.raw`${JOINED}${AUXILIARY}\s+(?:i|we|you|he|she|they|it|this|that|there|my|our|the)\b`, "iu");
/** The same of whatever, at the beginning of the message or where a question mark follows. */
const ASKS_WHETHER_SO = new RegExp(String.raw`${JOINED}${AUXILIARY}\s+\p{L}+`, "iu");
/** All of a clause behind "and": "and why", "and for how long", "and how many crew". */
const ASKS_BRIEFLY = new RegExp(
  String.raw`^\W*(?:and|but|also|plus)\s+${BEFORE}(?:why|when|where|who|whom|which|what|how)(?:\s+[\p{L}'’-]+){0,3}\W*$`,
  "iu",
);
/** "Is it added or combined" asks one thing. */
const ALTERNATIVE = /^\W*or\b/iu;
const SENTENCE_END = /[?!.]+(?=\s|$)/u;
const LEADING = new RegExp(JOINED, "iu");
const TRAILING = /[\s,;:.&–-]+$/u;

/**
 * The questions of a message that asks several, in their order; none where it asks one, or it cannot be told for sure. A clause that asks begins a part; what does not
 * ask belongs to the part before it, or to the first.
 *
 * @example questionParts("How thick is the rope, and how much can it hold?")
 * // [{ text: "How thick is the rope", … }, { text: "how much can it hold?", resolved: "how much can it hold? (thick; rope)" }]
 */
export function questionParts(message: string): QuestionPart[] {
  const starts = clausesOf(message.replaceAll(/(?<=\s)&(?=\s)/g, ";"))
    .filter((clause) => begins(clause, message))
    .map(({ start }) => start);
  if (starts.length < 2 || starts.length > MAX_PARTS) return [];
  return starts.map((at, i) => {
    const [start, end] = [i === 0 ? 0 : at, starts[i + 1] ?? message.length];
    const text = message
      .slice(start, end)
      .replace(i === 0 ? "" : LEADING, "")
      .replace(TRAILING, "")
      .trim();
    const before = message.slice(0, start).trim();
    const { text: resolved } = resolveFollowUp(text, before === "" ? [] : [{ question: before, answer: "" }]);
    return { text, resolved, standsAlone: resolved === text || (topicWords(text) > 0 && !pointsBack(text)) };
  });
}

/** Does a clause surely ask something of its own? Behind a comma alone "who" and "how many" tell more of what was said, and "is it" guesses at the answer. */
function begins({ text, start, before, behind }: Clause, message: string): boolean {
  if (ALTERNATIVE.test(text)) return false;
  const isJoined = before !== "," || /^\W*(?:and|but|also|plus)\b/iu.test(text);
  const isStated = /[.!]/.test(SENTENCE_END.exec(message.slice(start))?.[0] ?? "");
  if (isJoined && !isStated && ASKS_OF_DOER.test(text)) return true;
  if (ASKS.test(text)) return isJoined || !/^\W*(?:who|which|whom|whose)\b/iu.test(text);
  const asksWhether = ASKS_WHETHER.test(text) || ((behind.includes("?") || (start === 0 && !isStated)) && ASKS_WHETHER_SO.test(text));
  return isJoined && (asksWhether || ASKS_BRIEFLY.test(text));
}
