import { findPhoneNumbersInText } from "libphonenumber-js/min";
import type { TextRange } from "../shared/types.ts";
import { plainView } from "../text/normalise.ts";

const NAME = String.raw`(?:[A-Z][\w'’.-]{0,30}|\d{1,3}(?:st|nd|rd|th))`;
/** Words that almost always belong to the name of a street. */
const STREET = "Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Highway|Hwy|Parkway|Pkwy|Terrace|Drive|Dr|Crescent|Alley|Turnpike|Tpke";
/** Words that may belong to the name of a street but have other meanings. A town or a unit such as "Apt 3" must follow. */
const PLACE = "Court|Ct|Place|Pl|Way|Circle|Cir|Square|Sq|Loop|Trail|Trl|Plaza|Row|Path";
const UNIT = String.raw`(?:,?\s+(?:Apt|Apartment|Suite|Ste|Unit|Room|Rm|Floor|#)\.?\s*#?\w{1,6})`;
const STATE =
  "A[KLRZ]|C[AOT]|D[CE]|FL|GA|GU|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|P[AR]|RI|S[CD]|T[NX]|UT|V[AIT]|W[AIVY]|A[AEP]";
const TOWN = String.raw`(?:,?\s+[A-Z][\w'’.-]{1,30}(?:\s[A-Z][\w'’.-]{1,30}){0,2},?\s+(?:${STATE})\b(?:\s+\d{5}(?:-\d{4})?)?)`;
const NUMBER = String.raw`(?<![\w$.§/-])\d{1,6}[A-Z]?(?:-\d{1,4})?`;

/** Patterns of postal addresses in the United States. They also match foreign addresses that begin with the house number. */
const FORMS = [
  String.raw`${NUMBER}(?:\s${NAME}){1,4}\s(?:${STREET})\b\.?${UNIT}?${TOWN}?`,
  String.raw`${NUMBER}(?:\s${NAME}){1,4}\s(?:${PLACE})\b\.?(?:${UNIT}${TOWN}?|${TOWN})`,
  String.raw`\bP\.?\s?O\.?\s?Box\s\d{1,6}\b${UNIT}?${TOWN}?`,
  String.raw`\b(?:PSC|Unit|CMR)\s\d{1,5},?\sBox\s\d{1,6}\b(?:,?\s+[AFD]PO,?\s+A[AEP]\s+\d{5})?`,
  String.raw`\b[A-Z][\w'’.-]{1,30}(?:\s[A-Z][\w'’.-]{1,30}){0,2},\s(?:${STATE})\s\d{5}(?:-\d{4})?\b`,
];
const STREET_ADDRESS = new RegExp(FORMS.join("|"), "g");

/** Matches an address in upper or lower case after words such as "live at". */
const TOLD_ADDRESS = new RegExp(
  String.raw`\b(?:live|living|lives|reside|resides|residing|address is|address:|move|moved|moving|send it)\s(?:to|at|on|in)?\s?(${String.raw`\d{1,6}[a-z]?(?:\s[\w'’.-]{1,30}){1,4}\s(?:${STREET}|${PLACE})`}\b\.?(?:,?\s(?:apt|apartment|suite|unit|#)\.?\s?#?\w{1,6})?)`,
  "gi",
);

/**
 * Matches text in the form of an IBAN: two letters, two digits, then letters and digits, without spaces or in groups of
 * four. `ibanLength` checks length and checksum.
 */
const IBAN = /\b[a-z]{2}\d{2}(?: ?[a-z0-9]{4}){2,7}(?: ?[a-z0-9]{1,3})?\b/gi;
const SHORTEST = 15;
const LONGEST = 34;

/**
 * Returns the length of the longest valid IBAN at the start of `text`; 0 if there is none. It must end at a space or at
 * the end of the text. Its checksum is valid (ISO 13616-1) if the following number modulo 97 is 1: move the first four
 * characters to the end, then replace letters by 10 to 35.
 */
export function ibanLength(text: string): number {
  for (let end = text.length; end > 0; end = text.lastIndexOf(" ", end - 1)) {
    const bare = text.slice(0, end).replaceAll(" ", "").toUpperCase();
    if (bare.length < SHORTEST || /[^A-Z\d]/.test(bare)) return 0;
    if (bare.length > LONGEST) continue;
    const digits = [...bare.slice(4), ...bare.slice(0, 4)].map((character) => Number.parseInt(character, 36)).join("");
    if (BigInt(digits) % 97n === 1n) return end;
  }
  return 0;
}

/** Kinds of personal data that have a recognisable form. Names of persons have none. */
export const PERSONAL_KINDS = ["email", "iban", "card", "ssn", "file-number", "phone", "address"] as const;
export type PersonalKind = (typeof PERSONAL_KINDS)[number];

export interface PersonalData extends TextRange {
  readonly kind: PersonalKind;
  readonly text: string;
}

/** Finds the ranges of one kind of personal data in a text normalised by `plainView`. */
type Finder = (plain: string) => Iterable<TextRange>;

const EMAIL = /\b[\w.+-]{1,64}(?:@|\s?[[(]at[\])]\s?)[a-z0-9-]{1,63}(?:(?:\.|\s?[[(]dot[\])]\s?)[a-z0-9-]{1,63}){1,5}\b/gi;
const CARD = /(?<![\d.-])[1-6](?:[ -]?\d){11,18}(?![\d-])/g;
const SSN = /(?<![\d.-])(?!000|666|9\d\d)\d{3}([- .])(?!00)\d{2}\1(?!0000)\d{4}(?![\d-])/g;
/** Matches nine digits after a label such as "SSN", with or without separators. Without a label, `SSN` requires separators. */
const TOLD_SSN =
  /\b(?:ssn|social(?: security)?(?: number| no\.?| #)?)\b[^\d\n]{0,20}?(?<![\d-])((?!000|666|9)\d{3}[- .]?(?!00)\d{2}[- .]?(?!0000)\d{4})(?![\d-])/gi;
/** Matches VA file numbers, which identify a person. `FILE_NUMBER`: 8 or 9 digits after `C`. `TOLD_FILE_NUMBER`: 7 to 10 after a label. */
const FILE_NUMBER = /\b(?:C|CSS|XC|XSS)[- ]?\d{2}[ -]?\d{3}[ -]?\d{3,4}\b/g;
const TOLD_FILE_NUMBER =
  /\b(?:(?:va|claim|c)[- ]?file|claims? folder|claim|file)\s?(?:number|no\.?|num|#)[^\d\n]{0,12}?((?:C[- ]?)?\d{2,3}[ -]?\d{2,3}[ -]?\d{3,4})(?![\d-])/gi;
/** Matches ten digits grouped as in North America, even if the number does not exist. */
const GROUPED_PHONE = /(?<![\d.-])(?:\+?1[-. ]?)?(?:\(\d{3}\) ?|\d{3}[-. ])\d{3}[-. ]\d{4}(?![\d-])/g;
/** Matches a plus sign, a country code and further digits, even if the number does not exist. */
const INTERNATIONAL_PHONE = /(?<!\d)\+[1-9]\d{0,2}(?:[ .\-/]?\(?\d{1,12}\)?){1,6}(?!\d|-\d)/g;
/** Matches seven or more digits after a word such as "phone" or "call". */
const TOLD_PHONE =
  /\b(?:phone|telephone|tel|fax|mobile|cell|desk|call(?:ed|ing)?|reach|ring|text|dial|whatsapp|hotline|answering|messages? to)\b[^\d\n+(]{0,24}?\n?(\+?\(?\d[\d ().\-/]{5,20}\d)(?!\d|-\d)/gi;
/** Matches digits before a label such as "office" or "fax". */
const LABELLED_PHONE = /(?<![\d.,$/-])(\(?\d[\d ().\-/]{5,20}\d)[ ]?[-(]?[ ]?(?=(?:office|mobile|cell|fax|home phone|work phone|desk)\b)/gi;
/** Matches an extension, which belongs to the telephone number before it. */
const EXTENSION = /^\s?(?:x|ext\.?|extension)\s?\d{1,6}\b/i;
const PHONE_DIGITS = { least: 7, most: 15 };
/** Matches seven digits with at most three separators between two of them. A text without a match has no telephone number. */
const MAYBE_PHONE = /\d(?:[\s().\-/]{0,3}\d){6}/;
/** Country assumed for numbers without a country code. */
const HOME_COUNTRY = "US";

/** Finders in order of precedence. If two ranges overlap, the one found first is kept. */
const FINDERS: readonly (readonly [PersonalKind, Finder])[] = [
  ["email", (plain) => matches(plain, EMAIL)],
  ["iban", ibansIn],
  ["card", (plain) => matches(plain, CARD).filter(({ start, end }) => passesLuhn(plain.slice(start, end)))],
  ["ssn", (plain) => [...matches(plain, SSN), ...matches(plain, TOLD_SSN)]],
  ["file-number", (plain) => [...matches(plain, FILE_NUMBER), ...matches(plain, TOLD_FILE_NUMBER)]],
  ["phone", phonesIn],
  ["address", (plain) => [...matches(plain, STREET_ADDRESS), ...matches(plain, TOLD_ADDRESS)]],
];

/** Returns the personal data in a text, in order and without overlaps. Digits and punctuation may be in any script. */
export function findPersonalData(text: string): PersonalData[] {
  const { plain, at } = plainView(text);
  const found: PersonalData[] = [];
  for (const [kind, find] of FINDERS) {
    for (const range of find(plain)) {
      const start = at(range.start);
      const end = at(range.end);
      if (end > start && !found.some((other) => start < other.end && other.start < end))
        found.push({ kind, start, end, text: text.slice(start, end) });
    }
  }
  return found.sort((a, b) => a.start - b.start);
}

/** Replaces personal data by its kind in brackets: `[email]`, `[ssn]`, … Apply it to all text before storing. */
export function redactPersonalData(text: string): string {
  let redacted = "";
  let from = 0;
  for (const { kind, start, end } of findPersonalData(text)) {
    redacted += `${text.slice(from, start)}[${kind}]`;
    from = end;
  }
  return redacted + text.slice(from);
}

/** Returns whether a text has 12 to 19 digits, as card numbers do, with a valid Luhn checksum (ISO/IEC 7812-1, annex B). */
export function passesLuhn(text: string): boolean {
  const digits = [...text].filter((c) => c >= "0" && c <= "9").map(Number);
  const sum = digits.reverse().reduce((total, digit, i) => total + (i % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2), 0);
  return digits.length >= 12 && digits.length <= 19 && sum % 10 === 0;
}

/** Returns the range of each match, or of its first group if that group has more than one character. */
function matches(plain: string, pattern: RegExp): TextRange[] {
  return [...plain.matchAll(pattern)].map((match) => {
    const matched = match[1] !== undefined && match[1].length > 1 ? match[1] : match[0];
    const start = match.index + match[0].lastIndexOf(matched);
    return { start, end: start + matched.length };
  });
}

function* ibansIn(plain: string): Generator<TextRange> {
  for (const match of plain.matchAll(IBAN)) {
    const length = ibanLength(match[0]);
    if (length > 0) yield { start: match.index, end: match.index + length };
  }
}

function phonesIn(plain: string): TextRange[] {
  if (!MAYBE_PHONE.test(plain)) return [];
  const byForm = [INTERNATIONAL_PHONE, GROUPED_PHONE].flatMap((pattern) => matches(plain, pattern));
  const byLibrary = findPhoneNumbersInText(plain, HOME_COUNTRY).map(({ startsAt, endsAt }) => ({ start: startsAt, end: endsAt }));
  const byLabel = [TOLD_PHONE, LABELLED_PHONE].flatMap((pattern) => matches(plain, pattern));
  return [...byForm, ...byLibrary, ...byLabel]
    .filter((range) => {
      const digits = plain.slice(range.start, range.end).replaceAll(/\D/g, "").length;
      return digits >= PHONE_DIGITS.least && digits <= PHONE_DIGITS.most;
    })
    .map(({ start, end }) => ({ start, end: end + (EXTENSION.exec(plain.slice(end, end + 20))?.[0].length ?? 0) }));
}
