import { soft } from "./soft-match.ts";
import { heaviestMissing, held, least, mass, missingMass, ofRarest, rarestHeld, softMean } from "./sufficiency-features.ts";
import { type AskedTerm, type EvidenceView, type Match, type PassageView, union } from "./sufficiency-view.ts";

/** A passage among those that were found with it. */
interface Standing {
  readonly view: EvidenceView;
  readonly terms: readonly AskedTerm[];
  readonly passage: PassageView;
  /** Its title and headings. */
  readonly above: Match;
  /** Its sentences, each under its title and headings, by what they cover of the question. */
  readonly sentence: Coverage;
  readonly place: number;
  readonly best: Best;
}

/** The most that any one text of several covers, by each measure; in one pass, for a passage has many sentences. */
interface Coverage {
  readonly held: number;
  readonly soft: number;
  /** Of the two heaviest terms. */
  readonly rarest: number;
  readonly least: number;
}

/** What the best of all passages reaches. */
interface Best {
  readonly held: number;
  readonly soft: number;
  readonly dense: number | null;
  readonly bm25: number | null;
  readonly rerank: number | null;
}

/** A number about one passage and the question, or `null` when what it measures is not there, with the group that it is explained by. */
interface RelevanceFeature {
  readonly of: (standing: Standing) => number | null;
  readonly says: keyof typeof IN_WORDS;
}

/** What a group of features measures, in words for people. */
export const IN_WORDS = {
  words: "the question's words in it",
  rare: "the rare words, names and numbers asked",
  sentence: "its best sentence",
  meaning: "related words",
  heading: "its title and headings",
  reranker: "the reranker's score",
  cosine: "its vector",
  bm25: "its rank by words",
  values: "values of the kind asked",
  question: "the question's kind",
} as const;

const { log1p } = Math;

function minus(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : one - other;
}

/** Every feature, by name. */
export const RELEVANCE_FEATURES: Readonly<Record<string, RelevanceFeature>> = {
  held: { says: "words", of: ({ passage, terms }) => held(passage.whole, terms) },
  "held.text": { says: "words", of: ({ passage, terms }) => held(passage.text, terms) },
  "held.behind": { says: "words", of: ({ passage, terms, best }) => held(passage.whole, terms) - best.held },
  mass: { says: "words", of: ({ passage, terms }) => log1p(mass(passage.whole, terms)) },
  "mass.missing": { says: "words", of: ({ passage, terms }) => log1p(missingMass(passage.whole, terms)) },
  neighbours: { says: "words", of: ({ passage, terms }) => (terms.length < 2 ? null : passage.neighbours.size / (terms.length - 1)) },
  "neighbours.count": { says: "words", of: ({ passage }) => log1p(passage.neighbours.size) },

  "rarest.two": { says: "rare", of: ({ passage, view }) => ofRarest(passage.whole, view, 2) },
  "rarest.held": { says: "rare", of: ({ passage, terms }) => rarestHeld(passage.whole, terms, 0) },
  "rarest.second": { says: "rare", of: ({ passage, terms }) => rarestHeld(passage.whole, terms, 1) },
  "missing.heaviest": { says: "rare", of: ({ passage, terms }) => heaviestMissing(passage.whole, terms, ({ weight }) => weight) },
  "missing.rarest": { says: "rare", of: ({ passage, terms }) => heaviestMissing(passage.whole, terms, ({ rarity }) => rarity) },
  "missing.name": {
    says: "rare",
    of: ({ passage, terms }) => heaviestMissing(passage.whole, terms, ({ name, rarity }) => (name ? rarity : 0)),
  },
  "missing.number": { says: "rare", of: ({ passage, terms }) => heaviestMissing(passage.whole, terms, ({ number }) => Number(number)) },

  "sentence.held": { says: "sentence", of: ({ sentence }) => sentence.held },
  "sentence.soft": { says: "sentence", of: ({ sentence }) => sentence.soft },
  "sentence.rarest": { says: "sentence", of: ({ sentence }) => sentence.rarest },
  "sentence.least": { says: "sentence", of: ({ sentence }) => sentence.least },
  "sentence.bare": {
    says: "sentence",
    of: ({ passage, terms }) => passage.sentences.reduce((most, match) => Math.max(most, held(match, terms)), 0),
  },

  soft: { says: "meaning", of: ({ passage, terms }) => soft(passage.whole, terms) },
  "soft.behind": { says: "meaning", of: ({ passage, terms, best }) => soft(passage.whole, terms) - best.soft },
  "soft.mean": { says: "meaning", of: ({ passage }) => softMean(passage.whole) },
  "soft.least": { says: "meaning", of: ({ passage }) => least(passage.whole) },

  "title.held": { says: "heading", of: ({ passage, terms }) => held(passage.title, terms) },
  "above.held": { says: "heading", of: ({ above, terms }) => held(above, terms) },
  "above.soft": { says: "heading", of: ({ above, terms }) => soft(above, terms) },

  rerank: { says: "reranker", of: ({ passage }) => passage.scores.rerank },
  "rerank.behind": { says: "reranker", of: ({ passage, best }) => minus(passage.scores.rerank, best.rerank) },
  place: { says: "reranker", of: ({ place }) => place },

  dense: { says: "cosine", of: ({ passage }) => passage.scores.dense },
  "dense.behind": { says: "cosine", of: ({ passage, best }) => minus(passage.scores.dense, best.dense) },

  bm25: { says: "bm25", of: ({ passage }) => log1p(Math.max(0, passage.scores.bm25 ?? 0)) },
  "bm25.ideal": { says: "bm25", of: ({ passage, view }) => (view.idealBm25 > 0 ? (passage.scores.bm25 ?? 0) / view.idealBm25 : 0) },
  "bm25.behind": {
    says: "bm25",
    of: ({ passage, best }) => (best.bm25 === null || best.bm25 <= 0 ? null : (passage.scores.bm25 ?? 0) / best.bm25),
  },

  "values.sentence": { says: "values", of: ({ passage, view }) => (view.asked.length === 0 ? null : passage.valued()) },
  "values.held": {
    says: "values",
    of: ({ passage, view }) => (view.asked.length === 0 ? null : Number(passage.valued() > 0)),
  },

  "question.terms": { says: "question", of: ({ terms }) => log1p(terms.length) },
  "question.unknown": { says: "question", of: ({ terms }) => terms.reduce((all, { known, weight }) => all + (known ? 0 : weight), 0) },
  "question.best": { says: "question", of: ({ best }) => best.rerank },
  "question.best-held": { says: "question", of: ({ best }) => best.held },
};

function coverageOf(matches: readonly Match[], view: Pick<EvidenceView, "terms" | "heaviest">): Coverage {
  const { terms } = view;
  let [mostHeld, mostSoft, mostRare, mostLeast] = [0, 0, 0, 0];
  for (const match of matches) {
    let [heldHere, softHere, leastHere] = [0, 0, terms.length === 0 ? 0 : 1];
    for (let i = 0; i < terms.length; i++) {
      const value = match[i] ?? 0;
      const { weight } = terms[i] as AskedTerm;
      if (value === 1) heldHere += weight;
      softHere += weight * value;
      if (value < leastHere) leastHere = value;
    }
    if (heldHere > mostHeld) mostHeld = heldHere;
    if (softHere > mostSoft) mostSoft = softHere;
    if (leastHere > mostLeast) mostLeast = leastHere;
    mostRare = Math.max(mostRare, ofRarest(match, view, 2));
  }
  return { held: mostHeld, soft: mostSoft, rarest: mostRare, least: mostLeast };
}

/** Values of the named features for every passage, in order; `null` where one measures nothing. */
export function measurePassages(view: EvidenceView, names: readonly string[]): (number | null)[][] {
  const { passages, terms } = view;
  const most = (values: readonly (number | null)[]) => values.reduce((top, one) => (one === null ? top : Math.max(top ?? one, one)), null);
  const best: Best = {
    held: most(passages.map(({ whole }) => held(whole, terms))) ?? 0,
    soft: most(passages.map(({ whole }) => soft(whole, terms))) ?? 0,
    dense: most(passages.map(({ scores }) => scores.dense)),
    bm25: most(passages.map(({ scores }) => scores.bm25)),
    rerank: most(passages.map(({ scores }) => scores.rerank)),
  };
  return passages.map((passage, place) => {
    const sentence = coverageOf(passage.headed, view);
    const standing: Standing = { view, terms, passage, above: union(passage.title, passage.headings), sentence, place, best };
    return names.map((name) => (RELEVANCE_FEATURES[name] as RelevanceFeature).of(standing));
  });
}
