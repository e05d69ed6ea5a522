/** What is known besides the two questions. */
export interface SlotContext {
  /** What the stored answer is about: `readAbout` of its titles, headings and quotes. A word of the asked question that stands there is known. */
  readonly about?: ReadonlySet<string>;
  /** What the best passages for the asked question are about. A word of the stored question that stands there is known. */
  readonly found?: ReadonlySet<string>;
  /** Likeness of two words or phrases from 0 to 1, by their vectors. Without it only listed relations count. */
  readonly likeness?: (one: string, other: string) => number;
}

/** How two slots may differ and still ask for the same. Each is tested; whatever is not listed is a miss. */
export const ENTAILMENTS = [
  { name: "value-beyond", what: "a value or date that lies beyond a stored limit: 58 is after 57, 2015 is after January 1, 2013" },
  { name: "place-abroad", what: "a foreign country is overseas" },
  { name: "spouse-remarrying", what: "who remarries has been a spouse: widow, surviving spouse, spouse and nobody named are one" },
  { name: "narrower-person", what: "a dependent, survivor or family member who is also named as spouse, child or parent is that one" },
  { name: "synonym", what: "words of one group of synonyms: the domain's, the general ones, the dictionary's" },
  { name: "parts", what: "a name or phrase and the words that it stands for" },
  { name: "derived", what: "two forms of one word: remarry, remarriage" },
  { name: "known-there", what: "a word of one question that the other's answer or best passages are about" },
  { name: "number-written", what: "a number in words or digits, a unit in another: one year, 12 months" },
] as const;

export type Entailment = (typeof ENTAILMENTS)[number]["name"];
