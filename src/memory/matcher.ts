import { LRUCache } from "lru-cache";
import { readAskedSpan } from "../language/asked-values.ts";
import { holdSameExact } from "../language/compare-slots.ts";
import type { SlotVocabulary } from "../language/slot-vocabulary.ts";
import { readAbout, readSlots, type Slots } from "../language/slots.ts";
import type { MatchSettings } from "../profiles/profile.ts";
import type { RetrievedFor } from "../store/cache.ts";
import { once } from "../text/memo.ts";
import { documentOverlap, entityJaccard, judgeMatch, type MatchSettings as MatchRule, type MatchWeights } from "./match.ts";

/** The asked question with the passages found for it, best first. */
export interface AskedQuestion {
  /** Question with misspelt words corrected. */
  readonly question: string;
  /** Question as written. If a correction adds or changes an exact value, no stored answer is served. */
  readonly written: string;
  readonly passages: readonly MatchPassage[];
}

export interface MatchPassage {
  readonly chunkId: string;
  readonly document: { readonly id: string; readonly title: string };
  readonly headingPath: readonly string[];
  readonly text: string;
}

/** A stored question with the data kept for comparison. */
export interface ComparedQuestion {
  readonly question: string;
  /** From `describe`. */
  readonly slots: string | null;
  /** Cosine of the two questions. */
  readonly cosine: number;
  /** What retrieval found for it, and which of that the answer cites. */
  readonly retrieved: RetrievedFor;
}

export interface MatchVerdict {
  readonly accepted: boolean;
  /** Not accepted, but the cross-encoder may overrule the objection. */
  readonly soft: boolean;
  /** Orders accepted questions; `null` if not scored. */
  readonly score: number | null;
  /** Jaccard index of the entities; `null` if not compared. */
  readonly entities: number | null;
  /** Jaccard index of what both questions found; `null` if not compared. */
  readonly documents: number | null;
  /** Name of the rule that decided. */
  readonly rule: string;
  /** One line for people. */
  readonly reason: string;
}

/**
 * Number of passages that count as found, and number of those whose words describe them; the weights were trained with
 * these values.
 */
const FOUND = 5;
const READ = 2;

export interface SlotMatcherParts {
  readonly vocabulary: SlotVocabulary;
  /** Vector similarity of two words, from 0 to 1. */
  readonly likeness: (one: string, other: string) => number;
  readonly weights: () => MatchWeights;
  /** Converts a cosine of another model to the scale of this one. */
  readonly carry: (cosine: number, of: string) => number;
}

/** Parsed data of a stored question. */
interface Kept {
  readonly slots: Slots;
  readonly about: ReadonlySet<string>;
}

/** Maximum number of cached questions and passages. The same ones recur. */
const REMEMBERED = 2_000;

/** Compares questions by their slots and by a score of wording, entities and passages. */
export function createSlotMatcher({ vocabulary, likeness, weights, carry }: SlotMatcherParts) {
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
    /**
     * Returns the data to store for later comparison, as JSON text.
     * @param about titles, headings, quotes and cited passages of its answer
     */
    describe: (question: string, about: readonly string[]): string =>
      JSON.stringify({ slots: slotsOf(question), about: readAbout(about, vocabulary) }),
    /** Returns the text of a question to embed. */
    textFor: (question: string, settings: MatchSettings): string => (settings.type === "learned" ? slotsOf(question).canonical : question),
    /** Analyses the asked question once and returns a function that compares it with stored ones. */
    read({ question, written, passages }: AskedQuestion, settings: MatchSettings): (stored: ComparedQuestion) => MatchVerdict {
      const asked = slotsOf(question);
      if (!holdSameExact(asked, slotsOf(written))) return () => REPAIRED;
      const span = readAskedSpan(question);
      const found = once((): ReadonlySet<string> => new Set(passages.slice(0, READ).flatMap(keysOf)));
      const rule: MatchRule =
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

/** Decides whether the answer to one question also answers another. Unknown means no match. */
export type Matcher = ReturnType<typeof createSlotMatcher>;

/** Earlier versions stored less data than is compared now. */
function isWhole(slots: Partial<Slots>): slots is Slots {
  return slots.shape !== undefined && (slots.values ?? []).every((value) => "kind" in value);
}

/** Caches results by key. A chunk's id includes the version of its document. */
function remembered<T, R>(keyOf: (value: T) => string, read: (value: T) => R): (value: T) => R {
  const known = new LRUCache<string, { readonly made: R }>({ max: REMEMBERED });
  return (value) => {
    const key = keyOf(value);
    const one = known.get(key) ?? { made: read(value) };
    known.set(key, one);
    return one.made;
  };
}

/** Both questions ask about time, but for different spans. */
function otherSpan(asked: string, stored: string): MatchVerdict {
  return { ...UNREAD, rule: "span", reason: `asked ${asked}, stored ${stored}` };
}

export const UNCOMPARED = { accepted: false, soft: false, score: null, entities: null, documents: null } as const;
const NOTHING_KEPT = "nothing is stored to compare the stored question by";
const UNREAD: MatchVerdict = { ...UNCOMPARED, rule: "unknown", reason: NOTHING_KEPT };

/** A correction is a guess, and exact values must not be guessed. */
const REPAIRED: MatchVerdict = { ...UNREAD, rule: "repaired", reason: "a misspelt word was read as an exact value" };

interface Found {
  readonly passages: readonly MatchPassage[];
  /** Computed on first use, because most candidates are rejected earlier. */
  readonly found: () => ReadonlySet<string>;
  readonly likeness: SlotMatcherParts["likeness"];
}

function compare(
  asked: Slots,
  { slots, about }: Kept,
  { cosine, retrieved }: ComparedQuestion,
  { passages, found, likeness }: Found,
  settings: MatchRule,
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

/** For the learned score, the overlap of the first passages; for thresholds, of the documents, as in their source. */
function overlapOf(passages: readonly MatchPassage[], retrieved: ComparedQuestion["retrieved"], settings: MatchRule): number | null {
  if (settings.type === "learned") {
    const chunks = passages.slice(0, FOUND).map(({ chunkId }) => chunkId);
    return documentOverlap(chunks, retrieved.chunks.slice(0, FOUND));
  }
  return documentOverlap([...new Set(passages.map(({ document }) => document.id))], retrieved.documents);
}

function textsOf({ document, headingPath, text }: MatchPassage): string[] {
  return [document.title, ...headingPath, text];
}
