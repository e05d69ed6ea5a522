import type { SlotVocabulary } from "../language/slot-vocabulary.ts";
import { readAbout, readSlots, type Slots } from "../language/slots.ts";
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

/** What is kept of a stored question. */
interface Described {
  readonly slots: Slots;
  readonly about: readonly string[];
}

/** Compares questions by their slots, and by a score of wording, entities and passages. */
export function createSlotMatcher({ vocabulary, likeness, weights, carry }: SlotMatcherParts): Matcher {
  return {
    describe: (question, about) => JSON.stringify({ slots: readSlots(question, vocabulary), about: readAbout(about, vocabulary) }),
    textFor: (question, settings) => (settings.type === "learned" ? readSlots(question, vocabulary).canonical : question),
    read({ question, passages }, settings) {
      const asked = readSlots(question, vocabulary);
      const found = new Set(readAbout(passages.slice(0, READ).flatMap(textsOf), vocabulary));
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
        const described = stored.slots === null ? null : (JSON.parse(stored.slots) as Described | null);
        return described === null ? UNREAD : compare(asked, described, stored, { passages, found, likeness }, rule);
      };
    },
  };
}

const UNREAD: MatchVerdict = {
  accepted: false,
  score: null,
  entities: null,
  documents: null,
  rule: "unknown",
  reason: "nothing is kept by which the stored question could be compared",
};

interface Found {
  readonly passages: readonly MatchPassage[];
  readonly found: ReadonlySet<string>;
  readonly likeness: SlotMatcherParts["likeness"];
}

function compare(
  asked: Slots,
  { slots, about }: Described,
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
    about: new Set(about),
    found,
    likeness,
  };
  const { accept, score, rule, detail } = judgeMatch(asked, slots, closeness, settings);
  return { accepted: accept, score, entities, documents: overlap, rule, reason: detail };
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
