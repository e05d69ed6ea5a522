import type { Amount } from "../reading/amounts.ts";
import type { TextRange } from "../types.ts";
import type { Comparison } from "./comparison.ts";
import type { Fact } from "./facts.ts";

/** A name with the period it stands for beside it: "Korean War (June 25, 1950, to July 27, 1953)". */
interface NamedPeriod extends TextRange {
  /** Lower case, without "era" and the like. */
  readonly name: string;
  readonly from: Amount;
  readonly to: Amount;
}

/** Between the ends of a period, and between a name and its period: only marks and words that join them. */
const TO = /^,?\s?(?:to|through|until|and|–|—|-)\s?$/;
const JOINS = /^[\s,(—–-]*(?:(?:any ?time|is|was|lasted|ran|between|from)\s)*[\s(]*$/i;
const NAME = /(?:\p{Lu}[\p{L}\p{N}’'/-]*)(?:\s(?:(?:of|the|in)\s)*\p{Lu}[\p{L}\p{N}’'/-]*)*(?:\s(?:era|period|conflict|war|years?))*/gu;
/** Say what kind of thing is named, not which. */
const KIND = /^(?:the|of|in|era|period|years?)$/;
/** Name no period by themselves, and months are part of a date. */
const NO_NAME =
  /^(?:war|if|when|between|from|note|the|for|january|february|march|april|may|june|july|august|september|october|november|december)$/;
const CERTAINTY = 0.7;

/** The same name beside two periods. Whoever counts from another day tells readers something else, whatever each sentence goes on to say. */
export function comparePeriods(a: Fact, b: Fact): Comparison | null {
  if (a.amounts.length < 2 || b.amounts.length < 2) return null;
  const [ofA, ofB] = [periodsIn(a), periodsIn(b)];
  for (const one of ofA) {
    const others = ofB.filter(({ name }) => name === one.name);
    const [first] = others;
    if (first === undefined) continue;
    if (others.some(({ from, to }) => from.low === one.from.low && to.low === one.to.low)) return { type: "agree", certainty: 1 };
    const [range, other] = [one, first].map(({ start, end }) => ({ start, end })) as [TextRange, TextRange];
    return { type: "differ", kind: "date", certainty: CERTAINTY, a: range, b: other };
  }
  return null;
}

function periodsIn({ amounts, reading, piece }: Fact): NamedPeriod[] {
  const dates = amounts.filter(({ kind }) => kind === "date");
  const names = dates.length < 2 ? [] : [...piece.text.matchAll(NAME)];
  return dates.flatMap((from, i) => {
    const to = dates[i + 1];
    if (to === undefined || !TO.test(reading.text.slice(from.end, to.start))) return [];
    const name = names.findLast((match) => match.index + match[0].length <= from.start);
    if (name === undefined || !JOINS.test(piece.text.slice(name.index + name[0].length, from.start))) return [];
    const words = name[0]
      .toLowerCase()
      .replace(/\bconflict\b/, "war")
      .split(/\s+/)
      .filter((word) => !KIND.test(word));
    return words.every((word) => NO_NAME.test(word)) ? [] : [{ name: words.join(" "), from, to, start: from.start, end: to.end }];
  });
}
