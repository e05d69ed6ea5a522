import { holdSameExact } from "../compare/compare-slots.ts";
import type { SlotVocabulary } from "../compare/slot-vocabulary.ts";
import { readAbout, readSlots, type Slots } from "../compare/slots.ts";
import { readAskedSpan } from "../reading/asked-values.ts";
import { documentOverlap, entityJaccard, judgeMatch, type MatchSettings, type MatchWeights } from "./match.ts";
import type { ComparedQuestion, Matcher, MatchPassage, MatchVerdict } from "./matcher.ts";

/** Passages found for a question that count, and those whose words say what it finds, as the weights were learned. */
const FOUND = 5;
const READ = 2;

export interface SlotMatcherParts {
  readonly vocabulary: SlotVocabulary;
  /** Likeness of two words by their vectors, 0–1. */
  readonly likeness: (one: string, other: string) => number;
  readonly weights: () => MatchWeights;
  /** A cosine of another model as this one would have given it. */
  readonly carry: (cosine: number, of: string) => number;
}

/** What is kept of a stored question, read. */
interface Kept {
  readonly slots: Slots;
  readonly about: ReadonlySet<string>;
}

/** Questions and passages whose reading is kept: the same ones are met again and again. */
const REMEMBERED = 2_000;

/** Compares questions by their slots, and by a score of wording, entities and passages. */
export function createSlotMatcher({ vocabulary, likeness, weights, carry }: SlotMatcherParts): Matcher {
  const slotsOf = remembered(
    (question: string) => question,
    (question) => readSlots(question, vocabulary),
  );
  const keysOf = remembered(
    ({ chunkId }: MatchPassage) => chunkId,
    (passage) => readAbout(textsOf(passage), vocabulary),
  );
  const describedIn = remembered(
    (slots: string) => slots,
    (slots): Kept | null => {
      const read = JSON.parse(slots) as { slots: Partial<Slots>; about: string[] } | null;
      return read === null || !isWhole(read.slots) ? null : { slots: read.slots, about: new Set(read.about) };
    },
  );
  return {
    describe: (question, about) => JSON.stringify({ slots: slotsOf(question), about: readAbout(about, vocabulary) }),
    textFor: (question, settings) => (settings.type === "learned" ? slotsOf(question).canonical : question),
    read({ question, written, passages }, settings) {
      const asked = slotsOf(question);
      if (!holdSameExact(asked, slotsOf(written))) return () => REPAIRED;
      const span = readAskedSpan(question);
      let keys: ReadonlySet<string> | null = null;
      const found = () => {
        keys ??= new Set(passages.slice(0, READ).flatMap(keysOf));
        return keys;
      };
      const rule: MatchSettings =
        settings.type === "learned"
          ? { type: "learned", weights: weights() }
          : {
              type: "thresholds",
              cosine: carry(settings.cosine, settings.of),
              entityJaccard: settings.entities,
              documentOverlap: settings.documents,
            };
      return (stored) => {
        const other = readAskedSpan(stored.question);
        if (span !== null && other !== null && span !== other) return otherSpan(span, other);
        const described = stored.slots === null ? null : describedIn(stored.slots);
        return described === null ? UNREAD : compare(asked, described, stored, { passages, found, likeness }, rule);
      };
    },
  };
}

/** What an earlier version stored says less than is compared today. */
function isWhole(slots: Partial<Slots>): slots is Slots {
  return slots.shape !== undefined;
}

/** A result that was worked out before for the same key; the oldest go. A chunk's id names the version of its document. */
function remembered<T, R>(keyOf: (value: T) => string, read: (value: T) => R): (value: T) => R {
  const known = new Map<string, R>();
  return (value) => {
    const key = keyOf(value);
    const before = known.get(key);
    if (before !== undefined) return before;
    const made = read(value);
    known.set(key, made);
    if (known.size > REMEMBERED) known.delete(known.keys().next().value as string);
    return made;
  };
}

/** The words of both are those of time, and the answers are different ones. */
function otherSpan(asked: string, stored: string): MatchVerdict {
  return { ...UNREAD, rule: "span", reason: `asked ${asked}, stored ${stored}` };
}

const UNREAD: MatchVerdict = {
  accepted: false,
  soft: false,
  score: null,
  entities: null,
  documents: null,
  rule: "unknown",
  reason: "nothing is kept by which the stored question could be compared",
};

/** A repair is a guess, and what is exact is never guessed. */
const REPAIRED: MatchVerdict = { ...UNREAD, rule: "repaired", reason: "a misspelt word was read as something exact" };

interface Found {
  readonly passages: readonly MatchPassage[];
  /** Read when it is first asked for: most candidates fall before. */
  readonly found: () => ReadonlySet<string>;
  readonly likeness: SlotMatcherParts["likeness"];
}

function compare(
  asked: Slots,
  { slots, about }: Kept,
  { cosine, retrieved }: ComparedQuestion,
  { passages, found, likeness }: Found,
  settings: MatchSettings,
): MatchVerdict {
  const entities = entityJaccard(asked, slots);
  const overlap = overlapOf(passages, retrieved, settings);
  const closeness = {
    cosine,
    entityJaccard: entities,
    documentOverlap: overlap,
    citedRank: passages.findIndex(({ chunkId }) => retrieved.cited.includes(chunkId)),
    about,
    get found() {
      return found();
    },
    likeness,
  };
  const { accept, soft, score, rule, detail } = judgeMatch(asked, slots, closeness, settings);
  return { accepted: accept, soft, score, entities, documents: overlap, rule, reason: detail };
}

/** Of the first passages for the learned score; of documents for thresholds, as their source measures it. */
function overlapOf(passages: readonly MatchPassage[], retrieved: ComparedQuestion["retrieved"], settings: MatchSettings): number | null {
  if (settings.type === "learned") {
    const chunks = passages.slice(0, FOUND).map(({ chunkId }) => chunkId);
    return documentOverlap(chunks, retrieved.chunks.slice(0, FOUND));
  }
  return documentOverlap([...new Set(passages.map(({ document }) => document.id))], retrieved.documents);
}

function textsOf({ document, headingPath, text }: MatchPassage): string[] {
  return [document.title, ...headingPath, text];
}
