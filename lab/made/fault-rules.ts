import type { Random } from "../../src/grading/metrics.ts";
import { literally } from "../../src/text/normalise.ts";
import { changed, pick, replaceAt } from "./edit.ts";
import { countWords, MIN_WORDS } from "./faithful-rules.ts";

/** Context of a rule: the page of the sentence, and names from other pages. */
export interface FaultContext {
  /** Text of the cited page. */
  readonly page: string;
  /** Names from other pages of the same set. */
  readonly otherNames: readonly string[];
  readonly random: Random;
}

/** Returns a sentence with one fault; `null` if the rule does not apply. */
type FaultRule = (sentence: string, context: FaultContext) => string | null;

/**
 * Rules that make a true sentence wrong in one place, by kind and rule. They use only the sentence and its page and are independent of the
 * checks. The caller drops results that occur on the page.
 */
export const FAULT_RULES: Readonly<Record<string, Readonly<Record<string, FaultRule>>>> = {
  number: {
    /** A number that does not occur on the page. */
    other: (sentence, { page, random }) => {
      const number = pick(numbersIn(sentence), random);
      if (number === null) return null;
      const value = Number(number[0].replaceAll(",", ""));
      const tries = [value + 1 + Math.floor(random() * 8), value * 2, value * 3 + 1, value + 17];
      const other = tries.map((one) => written(one, number[0])).find((one) => !standsIn(one, page));
      return other === undefined ? null : replaceAt(sentence, number, other);
    },
    /** Another number of the page with the same unit (the word or sign next to it). */
    "of the page": (sentence, { page, random }) => {
      const swaps = numbersIn(sentence).flatMap((number) => {
        const unit = unitAfter(sentence, number);
        if (unit === null) return [];
        const others = numbersIn(page).filter((other) => unitAfter(page, other) === unit && other[0] !== number[0]);
        return [...new Set(others.map(([text]) => text))].filter((text) => !standsIn(text, sentence)).map((text) => ({ number, text }));
      });
      const swap = pick(swaps, random);
      return swap === null ? null : replaceAt(sentence, swap.number, swap.text);
    },
  },
  name: {
    /** A name from another page, preferably one that shares a word with the original name. */
    other: (sentence, { page, otherNames, random }) => {
      const name = pick(namesIn(sentence), random);
      if (name === null) return null;
      const words = new Set(name[0].split(" "));
      const fresh = otherNames.filter((other) => !standsIn(other, page) && other !== name[0]);
      const twins = fresh.filter((other) => other.split(" ").some((word) => words.has(word)));
      const alike = fresh.filter((other) => other.split(" ").length === words.size);
      const other = pick(twins.length > 0 ? twins : alike, random);
      return other === null ? null : replaceAt(sentence, name, other);
    },
  },
  negation: {
    added: (sentence) => {
      const verb = /\b(?:is|are|was|were|can|will|must|should|has been|have been|does|do)\b(?! (?:not|no|never|only)\b|n['’]t)/.exec(
        sentence,
      );
      return verb === null || NEGATED.test(sentence) ? null : replaceAt(sentence, verb, `${verb[0]} not`);
    },
    removed: (sentence) => {
      if (/\bcannot\b/.test(sentence)) return sentence.replace(/\bcannot\b/, "can");
      const match = /\b(is|are|was|were|can|will|must|should|may|has|have|does|do)(?: not| never|n['’]t)\b(?! only)/.exec(sentence);
      return match === null ? null : replaceAt(sentence, match, match[1] as string);
    },
  },
  condition: {
    /** "If A, B." and "B unless A." to "B." */
    dropped: (sentence) => {
      const first = /^(?:If|Unless|Only if|Except (?:if|when)|Provided that) [^,;:]+, ([^;:]+\.)$/.exec(sentence);
      const main = first?.[1] ?? /^([^;:]+?),? (?:only if|unless|provided that|except (?:if|when|for)|if) [^;:]+\.$/.exec(sentence)?.[1];
      if (main === undefined || countWords(main) < MIN_WORDS) return null;
      return `${main[0]?.toUpperCase()}${main.slice(1).replace(/\.$/, "")}.`;
    },
    /** "if" to "unless", "before" to "after", and vice versa. */
    turned: (sentence) => {
      const match = /\b(if|unless|before|after)\b(?! (?:any|not|so)\b)/i.exec(sentence);
      if (match === null) return null;
      const other = TURNED[match[0].toLowerCase()] as string;
      return replaceAt(sentence, match, /^[A-Z]/.test(match[0]) ? other[0]?.toUpperCase() + other.slice(1) : other);
    },
  },
  modality: {
    /** Possibility to fact or obligation, and obligation to possibility; not "will" to "may", which would only weaken the sentence. */
    turned: (sentence) => {
      const match = /\b(may|might|can|could|should|must)\b(?! not\b|n?['’]t)/.exec(sentence.slice(1));
      return match === null ? null : sentence[0] + replaceAt(sentence.slice(1), match, MODALS[match[0]] as string);
    },
  },
  quantifier: {
    turned: (sentence) => {
      const match = new RegExp(String.raw`\b(?:${Object.keys(QUANTIFIERS).join("|")})\b`).exec(sentence);
      return match === null ? null : replaceAt(sentence, match, QUANTIFIERS[match[0]] as string);
    },
    "only dropped": (sentence) => changed(sentence, sentence.replace(/ only\b(?! if)/, "")),
  },
};

const NEGATED = /\b(?:not|never|no|nor|none|neither|cannot|without)\b|n['’]t\b/i;
const TURNED: Readonly<Record<string, string>> = { if: "unless", unless: "if", before: "after", after: "before" };
const MODALS: Readonly<Record<string, string>> = {
  may: "must",
  might: "will",
  can: "must",
  could: "will",
  should: "must",
  must: "may",
};
/** Maps a quantifier to one that does not follow from it. */
const QUANTIFIERS: Readonly<Record<string, string>> = {
  "at least": "at most",
  "at most": "at least",
  "more than": "less than",
  "less than": "more than",
  "up to": "at least",
  some: "all",
  many: "all",
  most: "all",
  usually: "always",
  often: "always",
  sometimes: "always",
  rarely: "often",
  generally: "always",
};

/** Finds numbers that count or measure. Excludes codes, addresses, dates, years, and numbers as in "Table 3" or "Part 4". */
function numbersIn(text: string): RegExpExecArray[] {
  return [...text.matchAll(/(?<=^|[\s($])\d+(?:,\d{3})*(?:\.\d+)?(?![\p{L}\d:/-]|[.,]\d)/gu)].filter(
    (match) => !/[A-Z]\w*\.? $/.test(text.slice(Math.max(0, match.index - 20), match.index)) && !/^(?:19|20)\d\d$/.test(match[0]),
  );
}

function unitAfter(text: string, number: RegExpExecArray): string | null {
  const unit = /^\s?(%|°|percent|[a-z]{2,})/.exec(text.slice(number.index + number[0].length))?.[1] ?? null;
  return text[number.index - 1] === "$" ? `$${unit ?? ""}` : unit;
}

function written(value: number, like: string): string {
  const decimals = /\.(\d+)$/.exec(like)?.[1]?.length ?? 0;
  return like.includes(",") ? value.toLocaleString("en-US") : value.toFixed(decimals);
}

/** Finds capitalised words that do not begin the sentence; consecutive ones form one name. */
export function namesIn(text: string): RegExpExecArray[] {
  return [...text.matchAll(/(?<=[a-z,;] )\(?[A-Z][\p{L}\p{N}-]{2,}(?: [A-Z][\p{L}\p{N}-]+)*/gu)].filter(([name]) => !name.startsWith("("));
}

function standsIn(wanted: string, text: string): boolean {
  return new RegExp(String.raw`(?<![\p{L}\p{N}])${literally(wanted)}(?![\p{L}\p{N}])`, "u").test(text);
}
