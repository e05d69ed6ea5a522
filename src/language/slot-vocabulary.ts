import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { PACKAGE_ROOT } from "../package.ts";
import { literally } from "../text/normalise.ts";
import { turnsSense } from "./content-words.ts";
import { createWordStemmer, type GeneralWords, sharedWords } from "./general-words.ts";

const words = z.array(z.string().min(1));
const groups = z.array(words);

const fileSchema = z.strictObject({
  /** Why each list exists. */
  reasons: z.record(z.string(), z.string().min(1)),
  persons: groups,
  wider_persons: z.record(z.string(), words),
  us_states: words,
  home_countries: words,
  abroad: words,
  periods: groups,
  empty_phrases: words,
  light_words: words,
  quantifiers: words,
  same: groups,
  opposites: z.array(z.tuple([z.string().min(1), z.string().min(1)])),
});

type WordFile = z.infer<typeof fileSchema>;

/** General vocabulary of questions, independent of any domain. */
interface QuestionWords
  extends Pick<WordFile, "reasons" | "persons" | "us_states" | "abroad" | "periods" | "empty_phrases" | "same" | "opposites"> {
  readonly wider: ReadonlyMap<string, readonly string[]>;
  readonly home: ReadonlySet<string>;
  readonly light: ReadonlySet<string>;
  readonly quantifiers: ReadonlySet<string>;
}

/** Loads `question-words.json`. The file states the reason for each of its lists. */
export function loadQuestionWords(path: string = join(PACKAGE_ROOT, "src", "language", "question-words.json")): QuestionWords {
  const { wider_persons, home_countries, light_words, quantifiers, ...lists } = fileSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  return {
    ...lists,
    wider: new Map(Object.entries(wider_persons)),
    home: new Set(home_countries),
    light: new Set(light_words),
    quantifiers: new Set(quantifiers),
  };
}

/** Returns a pattern for the listed words for persons, without phrases that start with "my". */
function personPattern(persons: readonly (readonly string[])[]): RegExp {
  const named = persons.flat().filter((word) => !word.startsWith("my "));
  return new RegExp(String.raw`\b(?:${named.map(literally).join("|")})(?:s|'s|’s)?\b`, "iu");
}

/** What a domain adds to the general vocabulary. A domain pack provides all of it. */
export interface SlotSource {
  /** Abbreviations with their long forms. Both count as names. */
  readonly abbreviations?: Readonly<Record<string, readonly string[]>>;
  /** Groups of phrases with the same meaning. */
  readonly synonyms?: readonly (readonly string[])[];
  /** Patterns of codes, forms, benefits and products. */
  readonly entities?: readonly { readonly type: string; readonly patterns: readonly string[]; readonly canonical: string }[];
  /** Title of the domain. Its words occur in every question and distinguish nothing. */
  readonly title?: string;
  /** Hosts of the domain. The name of the first one occurs in every question too. */
  readonly hosts?: readonly string[];
  /** Names that no dictionary contains, such as products. */
  readonly names?: readonly string[];
  /** Words that distinguish questions of this domain, in addition to the general ones. */
  readonly questions?: {
    /** The first word of a group is the person's name. */
    readonly persons?: readonly (readonly string[])[];
    /** Persons whom every question is about. */
    readonly readers?: readonly string[];
    /** Bodies that a person can belong to, each with its other names. */
    readonly bodies?: readonly (readonly string[])[];
    /** Groups of phrases with the same meaning. */
    readonly same?: readonly (readonly string[])[];
  };
}

/** Meaning of a phrase. */
export interface PhraseSense {
  readonly kind: "name" | "person" | "branch" | "place" | "abroad" | "period" | "empty" | "group";
  readonly id: string;
}

export interface Token {
  readonly text: string;
  readonly stem: string;
  readonly start: number;
  readonly end: number;
}

/** Everything that `readSlots` needs, built once per domain. */
export interface SlotVocabulary {
  readonly tokens: (text: string) => Token[];
  readonly stem: (word: string) => string;
  readonly phrases: ReadonlyMap<string, readonly PhraseSense[]>;
  /** Number of tokens of the longest phrase. */
  readonly longest: number;
  /** Returns the synonym groups of a word or phrase: `d4` of the domain, `g4` general, `w4` of the dictionary. */
  readonly groups: (key: string) => readonly string[];
  readonly sides: (key: string) => readonly string[];
  readonly entities: readonly { readonly type: string; readonly pattern: RegExp; readonly canonical: string }[];
  readonly isEnglish: (word: string) => boolean;
  readonly isCommon: (word: string) => boolean;
  /** Stems of words that distinguish nothing in this domain. */
  readonly home: ReadonlySet<string>;
  /** Words for persons as written. A word that only shares the stem ("dependency") is not a person. */
  readonly exactWords: ReadonlySet<string>;
  /** Pattern of any word for a person. */
  readonly anyPerson: RegExp;
  /** Persons whom every question of the domain is about: their names and stems. */
  readonly readers: { readonly names: ReadonlySet<string>; readonly stems: ReadonlySet<string> };
  /** Lists that hold in every domain. */
  readonly general: Pick<QuestionWords, "wider" | "light" | "quantifiers">;
  /** Words of the domain's phrases, as written. */
  readonly domainWords: ReadonlySet<string>;
  /** Returns the stems of the words in the long forms of a name. */
  readonly parts: (id: string) => readonly (readonly string[])[];
  /** Returns the long form of a name. */
  readonly spelledOut: (id: string) => string;
  /** Returns the first phrase of all groups linked with a phrase, or `undefined` if no group contains it. */
  readonly standsFor: (key: string) => string | undefined;
}

const WORD = /&(?:amp;)?|\p{N}+\p{L}*|[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)*\p{N}*/gu;

export function createSlotVocabulary(source: SlotSource = {}, words: GeneralWords = sharedWords()): SlotVocabulary {
  const general = loadQuestionWords();
  const { persons = [], readers = [], same: ownSame = [] } = source.questions ?? {};
  const allPersons = [...general.persons, ...persons];
  const allSame = [...general.same, ...ownSame];
  const stem = createWordStemmer();
  const tokens = (text: string) => tokensOf(text, stem);
  const book = createPhraseBook(tokens);
  const names = namesOf(source.abbreviations ?? {});
  addNames(book, names, source);
  allSame.forEach((group, i) => {
    book.addGroup(group, `g${i}`);
  });
  addGeneral(book, general, { persons: allPersons, bodies: source.questions?.bodies ?? [] });
  const { keyOf, groups, sides, parts } = book;
  const linked = linkGroups(source.synonyms ?? [], keyOf);
  for (const group of allSame) for (const phrase of group) if (!linked.has(keyOf(phrase))) linked.set(keyOf(phrase), group[0] as string);
  const long = new Map(names.map(([short, meanings]) => [short[0] as string, meanings[0] as string]));
  const relations = words.relations();
  return {
    tokens,
    stem,
    phrases: book.phrases,
    longest: book.longest(),
    groups: (key) => [...(groups.get(key) ?? []), ...relations.groups(key).map((i) => `w${i}`)],
    sides: (key) => [...(sides.get(key) ?? []), ...relations.sides(key)],
    entities: (source.entities ?? []).flatMap(({ type, patterns, canonical }) =>
      patterns.map((pattern) => ({ type, pattern: new RegExp(pattern, "giu"), canonical })),
    ),
    isEnglish: words.english.isEnglish,
    isCommon: words.english.isCommon,
    home: homeOf(source, stem),
    exactWords: book.exactWords,
    anyPerson: personPattern(allPersons),
    readers: { names: new Set(readers), stems: new Set(readers.map((word) => stem(word.toLowerCase()))) },
    general,
    domainWords: book.domainWords,
    parts: (id) => parts.get(id) ?? [],
    spelledOut: (id) => long.get(id) ?? id,
    standsFor: (key) => linked.get(key),
  };
}

/** Stems of the words of the title and of the domain's own host, which occur in every question. */
function homeOf({ title = "", hosts = [] }: SlotSource, stem: (word: string) => string): ReadonlySet<string> {
  return new Set(
    [...title.split(/\W+/), ...hosts.slice(0, 1).map((host) => host.split(".").at(-2) ?? "")]
      .filter((word) => word !== "" && !turnsSense(word))
      .map((word) => stem(word.toLowerCase())),
  );
}

/** Adds the names of the domain and its synonyms. */
function addNames(book: PhraseBook, names: ReturnType<typeof namesOf>, source: SlotSource): void {
  const { add, addGroup, keyOf, phrases, parts } = book;
  for (const [short, meanings] of names) {
    for (const phrase of [...short, ...meanings]) {
      add(phrase, "name", short[0] as string, true);
      if (phrase.includes("&")) add(phrase.replaceAll("&", " "), "name", short[0] as string, true);
    }
    parts.set(short[0] as string, meanings.map(book.stemsOf));
  }
  for (const name of source.names ?? []) add(name, "name", keyOf(name), true);
  source.synonyms?.forEach((group, i) => {
    addGroup(group, `d${i}`, true);
    // A synonym of a name is that name: "chapter 35" is the benefit known by its abbreviation.
    const name = group.flatMap((phrase) => phrases.get(keyOf(phrase)) ?? []).find(({ kind }) => kind === "name");
    if (name !== undefined) for (const phrase of group) if (phrase.includes(" ")) add(phrase, "name", name.id, true);
  });
}

type Groups = readonly (readonly string[])[];

/** Adds persons, bodies, periods, places and opposites. */
function addGeneral(
  { add, addSide }: PhraseBook,
  general: QuestionWords,
  { persons, bodies }: { readonly persons: Groups; readonly bodies: Groups },
): void {
  for (const [person = "", ...others] of persons) for (const phrase of [person, ...others]) add(phrase, "person", person);
  for (const [body = "", ...others] of bodies) for (const phrase of [body, ...others]) add(phrase, "branch", body);
  for (const [period = "", ...others] of general.periods) for (const phrase of [period, ...others]) add(phrase, "period", period);
  for (const phrase of general.empty_phrases) add(phrase, "empty", "");
  for (const phrase of general.abroad) add(phrase, "abroad", "abroad");
  for (const state of general.us_states) add(state, "place", state);
  for (const country of countries())
    if (!general.us_states.includes(country)) add(country, "place", general.home.has(country) ? country : `${ABROAD}${country}`);
  general.opposites.forEach(([one, other], i) => {
    addSide(one, `o${i}+`);
    addSide(other, `o${i}-`);
  });
}

/** Phrases collected while a vocabulary is built. */
type PhraseBook = ReturnType<typeof createPhraseBook>;

function createPhraseBook(tokens: (text: string) => Token[]) {
  const phrases = new Map<string, PhraseSense[]>();
  const groups = new Map<string, string[]>();
  const sides = new Map<string, string[]>();
  const domainWords = new Set<string>();
  const exactWords = new Set<string>();
  let longest = 1;
  const stemsOf = (phrase: string) => tokens(phrase).map((token) => token.stem);
  const keyOf = (phrase: string) => stemsOf(phrase).join(" ");
  const add = (phrase: string, kind: PhraseSense["kind"], id: string, domain = false) => {
    const said = tokens(phrase);
    if (said.length === 0) return;
    longest = Math.max(longest, said.length);
    push(phrases, said.map((token) => token.stem).join(" "), { kind, id });
    if (kind === "person" || kind === "place") for (const { text } of said) exactWords.add(text);
    if (domain) for (const { text } of said) if (text.length > 3) domainWords.add(text);
  };
  return {
    ...{ phrases, groups, sides, domainWords, exactWords, stemsOf, keyOf, add },
    parts: new Map<string, string[][]>(),
    /** Returns the number of tokens of the longest phrase so far. */
    longest: () => longest,
    addGroup(group: readonly string[], name: string, domain = false) {
      for (const phrase of group) {
        const key = keyOf(phrase);
        push(groups, key, name);
        if (key.includes(" ") || /\d/.test(key)) add(phrase, "group", key, domain);
        else if (domain && phrase.length > 3) domainWords.add(phrase);
      }
    },
    addSide(phrase: string, side: string) {
      push(sides, keyOf(phrase), side);
    },
  };
}

function push<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/** Maps each phrase of groups that share a phrase to the first phrase of the first group. */
function linkGroups(groups: readonly (readonly string[])[], keyOf: (phrase: string) => string): Map<string, string> {
  const first = new Map<string, string>();
  const root = (key: string): string => {
    const above = first.get(key);
    return above === undefined || above === key ? key : root(above);
  };
  const written = new Map<string, string>();
  for (const group of groups) {
    const [head = "", ...others] = group.map((phrase) => {
      const key = keyOf(phrase);
      if (!written.has(key)) written.set(key, phrase);
      if (!first.has(key)) first.set(key, key);
      return key;
    });
    for (const key of others) first.set(root(key), root(head));
  }
  return new Map([...first.keys()].map((key) => [key, written.get(root(key)) as string]));
}

function tokensOf(text: string, stem: (word: string) => string): Token[] {
  const found: Token[] = [];
  for (const match of text.matchAll(WORD)) {
    const word = (match[0].startsWith("&") ? "and" : match[0]).toLowerCase().replaceAll("’", "'").replace(/'s?$/, "").replaceAll("'", "");
    found.push({ text: word, stem: stem(word), start: match.index, end: match.index + match[0].length });
  }
  return found;
}

/** Groups abbreviations that share a long form into one name. */
function namesOf(abbreviations: Readonly<Record<string, readonly string[]>>): [string[], readonly string[]][] {
  const named: [string[], string[]][] = [];
  for (const [short, meanings] of Object.entries(abbreviations)) {
    const same = named.find(([, known]) => meanings.some((one) => known.includes(one)));
    if (same === undefined) named.push([[short], [...meanings]]);
    else {
      same[0].push(short);
      same[1].push(...meanings.filter((one) => !same[1].includes(one)));
    }
  }
  return named;
}

const A = "A".charCodeAt(0);

/** Returns the lower-case names of the world's countries and territories from `Intl.DisplayNames`. */
function countries(): string[] {
  const names = new Intl.DisplayNames("en", { type: "region", fallback: "none" });
  const found: string[] = [];
  for (let i = 0; i < 26; i++) {
    for (let j = 0; j < 26; j++) {
      const name = names.of(String.fromCharCode(A + i, A + j))?.toLowerCase();
      if (name !== undefined && !name.includes("(") && !NO_COUNTRY.test(name)) found.push(name);
    }
  }
  return [...new Set([...found, "england", "scotland", "wales", "britain", "great britain", "korea", "czech republic", "burma", "turkey"])];
}

const NO_COUNTRY = /region|world|pseudo|european union|eurozone|united nations|outlying/;

/** Prefix of place ids for foreign countries. */
const ABROAD = "country ";

/** Checks whether a place id is a foreign country. */
export function isAbroad(place: string): boolean {
  return place.startsWith(ABROAD);
}
