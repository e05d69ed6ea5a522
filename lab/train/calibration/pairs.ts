import { createHash } from "node:crypto";
import { createRandom } from "../../../src/grading/metrics.ts";
import { Bm25Index } from "../../../src/retrieval/bm25.ts";
import { createStemmer, tokenize } from "../../../src/text/tokens.ts";
import { type RetrievalDocument, type RetrievalSet, type RetrievalSetName, readRetrievalSet } from "../../sets/retrieval-sets.ts";

/** A question, a document, and whether the document answers. */
export interface LabelledPair {
  readonly set: string;
  readonly question: string;
  /** Windows of the document; its score is the maximum over them. */
  readonly windows: readonly string[];
  readonly relevant: boolean;
  /** Source document of the question: the unit of cross-fitting. */
  readonly cluster: string;
}

/** Held-out parts of sets in the encoder's training data, and two sets that are not in it. */
export const SETS: readonly RetrievalSetName[] = ["policyqa", "medquad", "covid-qa", "fairytaleqa-all", "clapnq"];

/** Documents per question: one that answers, three non-answering ones from the best twenty by BM25, and two random ones. */
const HARD = 3;
const HARD_DEPTH = 20;
const RANDOM = 2;
const WINDOW_WORDS = 130;
const WINDOWS = 3;

/** @param questions number per set; a smaller number takes a subset of what a larger one takes */
export function labelledPairs(data: string, questions: number, seed: number): LabelledPair[] {
  return SETS.flatMap((name) => {
    const set = readRetrievalSet(name, data);
    if (set === null) throw new Error(`${data} has no folder for ${name}`);
    return pairsOf(set, questions, seed);
  });
}

export function hashOf(pairs: readonly LabelledPair[]): string {
  return createHash("sha256").update(JSON.stringify(pairs)).digest("hex");
}

function pairsOf(set: RetrievalSet, questions: number, seed: number): LabelledPair[] {
  const stem = createStemmer();
  const index = new Bm25Index();
  for (const { title, text } of set.documents) index.add([{ tokens: tokenize(`${title}\n${text}`, stem), weight: 1 }]);
  const order = (text: string) => createHash("sha256").update(`${seed}|${text}`).digest("hex");
  const asked = set.queries
    .map((query) => ({ query, order: order(query.text + query.scope) }))
    .sort((a, b) => (a.order < b.order ? -1 : 1))
    .slice(0, questions);
  return asked.flatMap(({ query, order: own }) => {
    const random = createRandom(Number.parseInt(own.slice(0, 8), 16));
    const inScope = (slot: number) => query.scope === null || (set.documents[slot] as RetrievalDocument).scope === query.scope;
    const isGold = ({ id }: RetrievalDocument) => query.gold.has(id);
    const found = index.search(tokenize(query.text, stem), HARD_DEPTH, inScope).map(({ slot }) => set.documents[slot] as RetrievalDocument);
    const scope = set.documents.filter((_, slot) => inScope(slot));
    const gold = draw(scope.filter(isGold), 1, random);
    const hard = draw(
      found.filter((one) => !isGold(one)),
      HARD,
      random,
    );
    const others = draw(
      scope.filter((one) => !isGold(one) && !hard.includes(one)),
      RANDOM,
      random,
    );
    const pair = (document: RetrievalDocument, relevant: boolean) => ({
      set: set.name,
      question: query.text,
      windows: windowsOf(document),
      relevant,
      cluster: query.cluster,
    });
    return [...gold.map((one) => pair(one, true)), ...[...hard, ...others].map((one) => pair(one, false))];
  });
}

function draw<T>(from: readonly T[], n: number, random: () => number): T[] {
  const left = [...from];
  const drawn: T[] = [];
  while (drawn.length < n && left.length > 0) drawn.push(...left.splice(Math.floor(random() * left.length), 1));
  return drawn;
}

function windowsOf({ title, text }: RetrievalDocument): string[] {
  const words = text.split(/\s+/).filter((word) => word !== "");
  const windows: string[] = [];
  for (let at = 0; at < words.length && windows.length < WINDOWS; at += WINDOW_WORDS) {
    windows.push([title, words.slice(at, at + WINDOW_WORDS).join(" ")].filter((part) => part !== "").join("\n"));
  }
  return windows.length === 0 ? [title] : windows;
}
