import { tokenize } from "../text/tokens.ts";
import type { Alignment } from "./alignment.ts";
import { type Finding, finding } from "./finding.ts";

/** What parts two things said in one sentence, the surest sign first; a comma alone only where both parts have a word in common. */
const PARTS = [/;\s+/, /,\s+(?:and|but|while|whereas)\s+/i];
const COMMA = /,\s+/;

/**
 * Does a claim say of one thing what its statement says of another: "the red light means blocked" of "red means closed; yellow means blocked"? The two parts of
 * the statement are told apart by the words that only one of them has: a claim that begins with the first of one part and ends with the last of the other, and
 * has neither of the two that belong there, has crossed them.
 */
export function checkCrossed({ claim, statements, coverage }: Alignment, mode: "remove" | "warn"): Finding {
  const best = statements[coverage.indexOf(Math.max(0, ...coverage))];
  const parts = best === undefined ? null : partsOf(best.text);
  if (best !== undefined && parts !== null) {
    const said = new Set(tokenize(claim.text));
    const [one, other] = parts;
    const begins = said.has(one.first) !== said.has(other.first);
    const ends = said.has(one.last) !== said.has(other.last);
    if (begins && ends && said.has(one.first) !== said.has(one.last)) {
      const reason = `says of one thing what the cited quote says of another: "${best.text.slice(0, 200)}"`;
      return finding("crossed", mode === "remove" ? "fail" : "warn", 0, reason, [{ start: 0, end: claim.text.length }]);
    }
  }
  return finding("crossed", "pass", 1, "keeps apart what the cited quotes keep apart");
}

interface Part {
  /** Words that the other part lacks. */
  readonly first: string;
  readonly last: string;
}

function partsOf(text: string): readonly [Part, Part] | null {
  for (const between of [...PARTS, COMMA]) {
    const parts = text.split(between).map((part) => tokenize(part));
    const [one, other] = parts;
    if (parts.length !== 2 || one === undefined || other === undefined) continue;
    if (between === COMMA && !one.some((word) => other.includes(word))) continue;
    const own = [one.filter((word) => !other.includes(word)), other.filter((word) => !one.includes(word))].map((words) => ({
      first: words[0],
      last: words.at(-1),
      n: words.length,
    }));
    const [a, b] = own;
    if (a?.first === undefined || a.last === undefined || b?.first === undefined || b.last === undefined) return null;
    return a.n < 2 || b.n < 2
      ? null
      : [
          { first: a.first, last: a.last },
          { first: b.first, last: b.last },
        ];
  }
  return null;
}
