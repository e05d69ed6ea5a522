import type { ContentWord } from "../reading/content-words.ts";
import type { TextRange } from "../types.ts";
import type { Alignment } from "./alignment.ts";
import { type Finding, finding } from "./finding.ts";
import type { Statement } from "./statements.ts";

/** A statement speaks of the same place of the claim if it holds this share of the words around. */
const SAME = 0.35;
/** Statements that fit nearly as well as the best are asked too: if one agrees, nothing is contradicted. */
const NEARLY = 0.05;
/** How far it may fall behind statements that lack the word in question: if they fit far better, the claim is about them. */
const BEHIND = 0.2;

/** Does the claim deny a word that its best-fitting statements affirm, or the other way round? */
export function checkPolarity(alignment: Alignment, mode: "remove" | "warn"): Finding {
  const turned = alignment.claim.words.filter((word) => isTurned(word, alignment));
  if (turned.length === 0) return finding("polarity", "pass", 1, "denies and affirms what the cited quotes do");
  const { text } = alignment.claim;
  const reason = `the cited quotes say the opposite at: ${[...new Set(turned.map(({ start, end }) => text.slice(start, end)))].join(", ")}`;
  return finding("polarity", mode === "remove" ? "fail" : "warn", 0, reason, turned);
}

function isTurned(word: ContentWord, alignment: Alignment): boolean {
  if (word.denied && deniedAbove(word, alignment)) return false;
  const speaking = speakingOf(word, alignment, ({ roots }) => roots.has(word.root));
  return speaking.length > 0 && speaking.every(({ words }) => words.every((other) => other.root !== word.root || differs(word, other)));
}

/** Statements that speak of what stands around a place, best fit within `NEARLY`; only those that `holds` accepts. */
function speakingOf(place: TextRange, { close, statements }: Alignment, holds: (statement: Statement) => boolean): Statement[] {
  const scores = close(place);
  const fitting = statements.flatMap((statement, i) => (holds(statement) ? [{ statement, score: scores[i] as number }] : []));
  const top = Math.max(0, ...fitting.map(({ score }) => score));
  return top < SAME || top < Math.max(...scores) - BEHIND
    ? []
    : fitting.filter(({ score }) => score >= top - NEARLY).map(({ statement }) => statement);
}

/** Does the lead-in of what fits best deny it: "You can't use it to:"? */
function deniedAbove(word: ContentWord, { close, statements }: Alignment): boolean {
  const scores = close(word);
  const top = Math.max(0, ...scores);
  return statements.some(({ above }, i) => above.has(`¬${word.root}`) && (scores[i] as number) >= top - NEARLY);
}

/** What one text only supposes and the other denies is no contradiction: "if you have evidence" against "you can't send evidence". */
function differs(claimed: ContentWord, stated: ContentWord): boolean {
  if (claimed.denied && !stated.negated) return claimed.supposed === stated.supposed;
  return stated.denied && !claimed.negated && (claimed.supposed || !stated.supposed);
}
