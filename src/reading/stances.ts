import type { TextRange } from "../types.ts";

/** A way of saying that something must be, may be, rises, falls or stays: two of one family exclude each other. */
export interface Stance extends TextRange {
  readonly family: "duty" | "change" | "repetition";
  readonly side: string;
}

const STANCES: readonly (readonly [Stance["family"], string, string])[] = [
  [
    "duty",
    "free",
    `(?:do|does|did|will|wo)(?:n['’]t| not) (?:need|have) to|(?:is|are)(?:n['’]t| not) (?:required|needed)|not required|(?:is|are) optional|no need to`,
  ],
  ["duty", "must", `must(?! not|n['’]t)|(?:is|are) required|(?:have|has|need|needs|['’]ll need) to|shall(?! not)`],
  [
    "change",
    "same",
    `(?:stay|stays|remain|remains|kept|keeps|keep) (?:the same|level|unchanged|fixed|constant)|(?:does|do|will|wo)(?:n['’]t| not) (?:change|decrease|increase|go down|go up)|level-term`,
  ],
  ["change", "down", `(?:go|goes|going|went) down|decreas(?:e|es|ed|ing)|drops?|falls?|declin(?:es?|ing)|decreasing-term`],
  ["change", "up", `(?:go|goes|going|went) up|increas(?:e|es|ed|ing)|rises?|grows?`],
  ["repetition", "once", `only once|just once|once only|one time only|only one time`],
  ["repetition", "often", `as many times as|as often as|any number of times|more than once|repeatedly|unlimited (?:number of )?times`],
];

const PATTERN = new RegExp(STANCES.map(([, , source], i) => String.raw`(?<s${i}>\b(?:${source})(?![\p{L}\p{N}]))`).join("|"), "giu");

/** Every stance of a text, in order. */
export function stancesIn(text: string): Stance[] {
  return [...text.matchAll(PATTERN)].flatMap((match) => {
    const [name] = Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined) ?? [];
    const stance = name === undefined ? undefined : STANCES[Number(name.slice(1))];
    return stance === undefined ? [] : [{ family: stance[0], side: stance[1], start: match.index, end: match.index + match[0].length }];
  });
}

/** Whom a statement is about, besides the reader. */
const PERSONS: readonly (readonly [string, RegExp])[] = [
  ["spouse", /\b(?:spouses?|husband|wife|widow(?:er)?s?|partner)\b/i],
  ["child", /\b(?:child|children|sons?|daughters?|stepchild(?:ren)?|minors?)\b/i],
  ["parent", /\b(?:parents?|mother|father)\b/i],
  ["dependent", /\bdependents?\b/i],
  ["family", /\bfamily members?\b/i],
  ["survivor", /\bsurvivors?\b/i],
  ["caregiver", /\bcaregivers?\b/i],
  ["student", /\bstudents?\b/i],
  ["adult", /\badults?\b/i],
  ["infant", /\b(?:infants?|babies|baby|newborns?)\b/i],
  ["pregnant", /\b(?:pregnant|pregnancy|breast-?feeding)\b/i],
  ["women", /\b(?:women|woman|female)\b/i],
  ["men", /\b(?:men|man|male)\b/i],
];

/** @param heading in a heading "Veterans" tells apart too; in a sentence it is the reader */
export function personsIn(text: string, heading = false): string[] {
  const persons = PERSONS.filter(([, pattern]) => pattern.test(text)).map(([name]) => name);
  return heading && /\bveterans?\b/i.test(text) ? [...persons, "veteran"] : persons;
}

/** A story or an example tells of one case; rules are not contradicted by it. */
const EXAMPLE =
  /\b(?:for example|for instance|e\.g\.|such as|say you|let['’]s say|imagine|suppose)\b|^(?:he|she)\b|\b(?:he|she) (?:was|had|needed|got|received|served|lost)\b|^example\b/i;

export function isExample(text: string): boolean {
  return EXAMPLE.test(text);
}
