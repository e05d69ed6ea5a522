import { joinValues, valuesIn } from "../language/values.ts";
import type { Evidence, Warning } from "../shared/types.ts";
import { isStopWord, tokenize } from "../text/tokens.ts";
import { aboveUnit } from "../text/units.ts";

/** One of several things that numbers tell apart: "version 2", "the 5th edition", "rooms 3 to 9". */
interface NumberedThing {
  readonly thing: string;
  readonly low: number;
  readonly high: number;
  readonly text: string;
}

/** Maximum number of other things that the warning names. */
const NAMED = 4;

/**
 * Compares the numbered things of a question with those of the evidence: what version 3 says is no answer about version 2. Returns the
 * warning of a refusal if the evidence names others of a kind and none that is asked for. "First" and "second" do not count: they rarely
 * number things.
 */
export function otherNumbers(question: string, evidence: readonly Evidence[]): Warning[] {
  const asked = numberedThings(question);
  if (asked.length === 0) return [];
  const above = evidence.flatMap(({ passage: { document, units } }) => [document.title, ...units.flatMap((unit) => aboveUnit(unit))]);
  const held = [...new Set([...above, ...evidence.map(({ passage }) => passage.text)])].flatMap(numberedThings);
  return asked.flatMap(({ thing, low, text }) => {
    const alike = held.filter((one) => one.thing === thing);
    if (alike.length === 0 || alike.some((one) => one.low <= low && low <= one.high)) return [];
    const named = [...new Set(alike.map((one) => one.text.toLowerCase()))].slice(0, NAMED).join(", ");
    return [{ code: "not_named", message: `The passages found are about ${named}, not about ${text}, so nothing was answered.` }];
  });
}

/** Characters around a number in which its thing stands. */
const REACH = 40;

function numberedThings(text: string): NumberedThing[] {
  return joinValues(valuesIn(text), text).flatMap(({ kind, low, high, bound, start, end }) => {
    const written = text.slice(start, end);
    const before = text.slice(Math.max(0, start - REACH), start);
    const parts = {
      version: /^(\p{L}+)/u.exec(written),
      number: /(\p{L}+)\s$/u.exec(before),
      ordinal: /^[\s-](\p{L}+)/u.exec(text.slice(end, end + REACH)),
    };
    const [around = "", name = ""] = Object.entries(parts).find(([one]) => one === kind)?.[1] ?? [];
    if (bound !== "none" || name === "" || isStopWord(name.toLowerCase())) return [];
    const shown = kind === "number" ? around + written : kind === "ordinal" ? written + around : written;
    return [{ thing: tokenize(name).join(" "), low: Number(low), high: Number(high), text: shown }];
  });
}
