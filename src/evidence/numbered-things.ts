import { joinValues, valuesIn } from "../language/values.ts";
import type { Evidence, Warning } from "../shared/types.ts";
import { isStopWord, words, wordTokens } from "../text/tokens.ts";
import { aboveUnit } from "../text/units.ts";

/** One of several things that numbers tell apart: "version 2", "the 5th edition", "room 9". */
interface NumberedThing {
  /** Stem of the thing. */
  readonly thing: string;
  /** Ends of a range; equal for one number. */
  readonly from: string | number;
  readonly to: string | number;
  readonly text: string;
}

/** The numbered things of a question, none of which the evidence names, though it names others of their kind. */
export interface OtherNumbers {
  readonly asked: readonly string[];
  readonly named: readonly string[];
}

/**
 * Compares the numbered things of a question with those of the evidence: what version 3 says is no answer about version 2. Returns `null` if
 * the evidence names one that is asked for, or none of its kind. "First" and "second" rarely number things, so they do not count.
 */
export function otherNumbers(question: string, evidence: readonly Evidence[]): OtherNumbers | null {
  const asked = numberedThings(question);
  if (asked.length === 0) return null;
  const texts = evidence.flatMap(({ passage: { document, text, units } }) => [
    document.title,
    ...new Set(units.flatMap((unit) => aboveUnit(unit))),
    text,
  ]);
  const held = texts.flatMap(numberedThings);
  const opensWith = ({ from }: NumberedThing) => texts.some((text) => new RegExp(String.raw`^\W{0,3}${from}(?:[.):]|\s)`, "m").test(text));
  const others = asked.map((one) => {
    const alike = held.filter(({ thing }) => thing === one.thing);
    return alike.some((other) => includes(other, one)) || opensWith(one) ? [] : alike;
  });
  const missing = asked.filter((_, i) => (others[i]?.length ?? 0) > 0);
  return missing.length === 0
    ? null
    : { asked: missing.map(({ text }) => text), named: [...new Set(others.flat().map(({ text }) => text.toLowerCase()))] };
}

/** Maximum number of other things that the warning names. */
const NAMED = 4;

/** Returns the warning of a refusal because of other numbers. */
export function otherNumbersNamed({ asked, named }: OtherNumbers): Warning[] {
  const message = `The passages found are about ${named.slice(0, NAMED).join(", ")}, not about ${asked.join(", ")}, so nothing was answered.`;
  return [{ code: "not_named", message }];
}

function includes({ from, to }: NumberedThing, { from: wanted }: NumberedThing): boolean {
  return from === wanted || (typeof from === "number" && typeof to === "number" && Number(wanted) >= from && Number(wanted) <= to);
}

function numberedThings(text: string): NumberedThing[] {
  return joinValues(valuesIn(text), text).flatMap(({ kind, low, high, bound, start, end }): NumberedThing[] => {
    if (bound !== "none") return [];
    const written = text.slice(start, end);
    switch (kind) {
      case "version": {
        const number = Number.isInteger(Number(low)) ? Number(low) : low;
        return [{ thing: stemOf("version"), from: number, to: number, text: written }];
      }
      case "ordinal": {
        const thing = words(text.slice(end, end + REACH)).find((word) => !isStopWord(word.text));
        const behind = new RegExp(String.raw`^[\s-]+\p{L}+`, "u").exec(text.slice(end, end + REACH))?.[0] ?? "";
        return thing === undefined || behind === "" || thing.code ? [] : [{ thing: stemOf(thing.text), from: low, to: high, text: written + behind }];
      }
      case "number": {
        const [before = "", name = ""] = /(\p{L}[\p{L}\p{M}'’-]*)\s(?:no\.?\s)?$/iu.exec(text.slice(Math.max(0, start - REACH), start)) ?? [];
        return name === "" || isStopWord(name.toLowerCase()) ? [] : [{ thing: stemOf(name), from: low, to: high, text: before + written }];
      }
      default:
        return [];
    }
  });
}

/** Characters around a number in which its thing stands. */
const REACH = 40;

function stemOf(word: string): string {
  const [first] = words(word);
  return first === undefined ? "" : (wordTokens(first)[0] ?? "");
}
