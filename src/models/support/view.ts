import type { ClaimClause, ClaimField, ClaimOpposite, ClaimWord, SupportView } from "./claim-view.ts";
import { readDifference } from "./difference.ts";
import { OPPOSITE_SIDES } from "./lexicon.ts";
import { isMarker, matchAmount, matchClosed, matchHours } from "./match-amounts.ts";
import { type SupportEvidence, type SupportSentence, type SupportToken, vectorOf } from "./text.ts";
import type { SupportVocabulary } from "./vocabulary.ts";

/** Sentences that count as covering the claim. */
const TOP = 3;

/** Reads a claim beside evidence; `null` when either has no word. */
export function viewSupport(claimText: SupportSentence, evidence: SupportEvidence, vocabulary: SupportVocabulary): SupportView | null {
  const claim = claimText;
  if (claim.tokens.length === 0 || evidence.tokenCount === 0) return null;
  const picked = pickWords(claim, vocabulary);
  const count = picked.length;
  const rows = matchRows(picked, evidence, vocabulary);
  const perSentence = evidence.sentences.map(({ tokens }) => bestOf(tokens, rows, count));
  const best = new Float32Array(count);
  for (const one of perSentence) raise(best, one);
  joinWords(picked, claim, evidence, best, perSentence);
  const { order, hard, soft, covered } = greedy(perSentence, picked, count);
  const top = order.map((i) => evidence.sentences[i] as SupportSentence);
  const topForms = new Set(top.flatMap(({ tokens }) => tokens.map(({ text }) => text)));
  const words = picked.map(({ token, at, weight, rarity }, i): ClaimWord => {
    return {
      token,
      at,
      weight,
      rarity,
      best: best[i] as number,
      bestInTop: covered[i] as number,
      isName: isName(token, at, evidence),
      flipped: isFlipped(token, top),
      context: contextHeld(token, at, claim, evidence),
    };
  });
  const vector = vectorOf(claim.tokens, vocabulary);
  const fields = evidence.records.length === 0 ? null : readFields(claim, evidence);
  return {
    claim,
    evidence,
    words,
    top,
    hard,
    soft,
    clauses: matchClauses(claim, picked, best, perSentence),
    amounts: claim.amounts.filter((amount) => !isMarker(amount, claim)).map((amount) => matchAmount(amount, claim, evidence, top)),
    opposites: findOpposites(claim, topForms, evidence.forms),
    fields: fields?.stated ?? null,
    unknownFields: fields?.unknown ?? null,
    hours: matchHours(claim, evidence),
    closedYetOpen: matchClosed(claim, evidence),
    cosines: topCosines(vector, evidence.vectors),
    topForms,
    orderInBest: placesIn(top[0], words),
    difference: readDifference(claim, evidence),
  };
}

interface PickedWord {
  readonly token: SupportToken;
  readonly at: number;
  readonly weight: number;
  readonly rarity: number;
}

function pickWords({ tokens }: SupportSentence, vocabulary: SupportVocabulary): PickedWord[] {
  const seen = new Set<number>();
  const picked: Omit<PickedWord, "weight">[] = [];
  tokens.forEach((token, at) => {
    if (!token.content || seen.has(token.stem)) return;
    seen.add(token.stem);
    picked.push({ token, at, rarity: vocabulary.weightOf(token.id) });
  });
  const sum = picked.reduce((total, { rarity }) => total + rarity, 0);
  return picked.map((word) => ({ ...word, weight: sum > 0 ? word.rarity / sum : 1 / picked.length }));
}

/** Per word of the evidence that resembles one of the claim: its similarity to each. */
function matchRows(words: readonly PickedWord[], evidence: SupportEvidence, vocabulary: SupportVocabulary): Map<number, Float32Array> {
  const rows = new Map<number, Float32Array>();
  for (const id of evidence.words) {
    let row: Float32Array | null = null;
    for (let i = 0; i < words.length; i++) {
      const similarity = vocabulary.similarity((words[i] as PickedWord).token.id, id);
      if (similarity === 0) continue;
      row ??= new Float32Array(words.length);
      row[i] = similarity;
    }
    if (row !== null) rows.set(id, row);
  }
  return rows;
}

function bestOf(tokens: readonly SupportToken[], rows: ReadonlyMap<number, Float32Array>, count: number): Float32Array {
  const best = new Float32Array(count);
  for (const { id, content } of tokens) {
    const row = content ? rows.get(id) : undefined;
    if (row !== undefined) raise(best, row);
  }
  return best;
}

function raise(best: Float32Array, by: Float32Array): void {
  for (let i = 0; i < best.length; i++) if ((by[i] as number) > (best[i] as number)) best[i] = by[i] as number;
}

/** "takeout" is "take out" is "take-out", on either side. */
function joinWords(
  words: readonly PickedWord[],
  { tokens }: SupportSentence,
  evidence: SupportEvidence,
  best: Float32Array,
  perSentence: readonly Float32Array[],
): void {
  words.forEach(({ token, at }, i) => {
    if (best[i] === 1) return;
    const place = evidence.joined.get(token.text);
    const before = tokens[at - 1]?.text ?? "";
    const after = tokens[at + 1]?.text ?? "";
    const whole = [before + token.text, token.text + after].find((form) => form !== token.text && evidence.forms.has(form));
    if (place === undefined && whole === undefined) return;
    best[i] = 1;
    if (place !== undefined) (perSentence[place.sentence] as Float32Array)[i] = 1;
    else
      evidence.sentences.forEach(({ tokens: others }, s) => {
        if (others.some(({ text }) => text === whole)) (perSentence[s] as Float32Array)[i] = 1;
      });
  });
}

function greedy(perSentence: readonly Float32Array[], words: readonly PickedWord[], count: number) {
  const order: number[] = [];
  const hard: number[] = [];
  const soft: number[] = [];
  let covered = new Float32Array(count);
  for (let step = 0; step < TOP; step++) {
    let at = -1;
    let most = -1;
    for (let s = 0; s < perSentence.length; s++) {
      const best = perSentence[s] as Float32Array;
      let value = 0;
      for (let i = 0; i < count; i++) value += (words[i] as PickedWord).weight * Math.max(best[i] as number, covered[i] as number);
      if (value > most + 1e-9 && !order.includes(s)) {
        most = value;
        at = s;
      }
    }
    if (at >= 0) {
      order.push(at);
      covered = Float32Array.from(covered);
      raise(covered, perSentence[at] as Float32Array);
    }
    soft.push(sumOf(words, (_, i) => covered[i] as number));
    hard.push(sumOf(words, (_, i) => (covered[i] === 1 ? 1 : 0)));
  }
  return { order, hard, soft, covered };
}

const JOINING = new Set(
  "and but while with which who whose that including because as although though or so where when if since before after for to by from such".split(
    " ",
  ),
);

/** Fewer words make no clause of their own. */
const CLAUSE_WORDS = 2;

function matchClauses(
  { tokens, breaks }: SupportSentence,
  words: readonly PickedWord[],
  best: Float32Array,
  perSentence: readonly Float32Array[],
): ClaimClause[] {
  const clauses: number[][] = [[]];
  let next = 0;
  tokens.forEach((token, at) => {
    if ((breaks.has(at) || JOINING.has(token.text)) && (clauses.at(-1) as number[]).length >= CLAUSE_WORDS) clauses.push([]);
    if (words[next]?.at === at) (clauses.at(-1) as number[]).push(next++);
  });
  if (clauses.length > 1 && (clauses.at(-1) as number[]).length < CLAUSE_WORDS) {
    const rest = clauses.pop() as number[];
    (clauses.at(-1) as number[]).push(...rest);
  }
  return clauses
    .filter((clause) => clause.length > 0)
    .map((clause) => {
      const sum = clause.reduce((total, i) => total + (words[i] as PickedWord).weight, 0);
      const held = (value: (i: number) => number) =>
        clause.reduce((total, i) => total + (sum > 0 ? (words[i] as PickedWord).weight / sum : 1 / clause.length) * value(i), 0);
      let one = 0;
      for (const sentence of perSentence)
        one = Math.max(
          one,
          held((i) => sentence[i] as number),
        );
      return { hard: held((i) => (best[i] === 1 ? 1 : 0)), soft: held((i) => best[i] as number), one };
    });
}

function sumOf(words: readonly PickedWord[], value: (word: PickedWord, i: number) => number): number {
  return words.reduce((sum, word, i) => sum + word.weight * value(word, i), 0);
}

/** A capital inside a sentence, or at its start for a word that the evidence never writes small. */
export function isName({ name, capital, text }: SupportToken, at: number, { lowercase, forms }: SupportEvidence): boolean {
  return name || (capital && at === 0 && forms.has(text) && !lowercase.has(text));
}

function isFlipped({ stem, negated }: SupportToken, top: readonly SupportSentence[]): boolean {
  let seen = false;
  for (const { tokens } of top) {
    for (const token of tokens) {
      if (token.stem !== stem) continue;
      if (token.negated === negated) return false;
      seen = true;
    }
  }
  return seen;
}

function findOpposites({ tokens }: SupportSentence, topForms: ReadonlySet<string>, forms: ReadonlySet<string>): ClaimOpposite[] {
  const found: ClaimOpposite[] = [];
  for (const token of tokens) {
    if (topForms.has(token.text)) continue;
    for (const { kind, own, other } of OPPOSITE_SIDES.get(token.text) ?? []) {
      if (!hasAny(topForms, other) || hasAny(topForms, own)) continue;
      found.push({ kind, token, nowhere: !hasAny(forms, own) });
    }
  }
  return found;
}

function hasAny(forms: ReadonlySet<string>, words: ReadonlySet<string>): boolean {
  for (const word of words) if (forms.has(word)) return true;
  return false;
}

function readFields({ tokens }: SupportSentence, { records }: SupportEvidence): { stated: ClaimField[]; unknown: number } {
  const at = new Map<string, number>();
  tokens.forEach(({ text, capital }, i) => {
    if (!capital || i === 0 || !at.has(text)) at.set(text, i);
    const joined = text + (tokens[i + 1]?.text ?? "");
    if (!at.has(joined)) at.set(joined, i);
  });
  const find = (key: readonly string[]): number[] | null => {
    if (key.length === 0) return null;
    const joined = at.get(key.join(""));
    if (joined !== undefined) return [joined];
    const places = key.map((word) => at.get(word) ?? at.get(`${word}s`) ?? at.get(word.replace(/s$/, "")) ?? -1);
    return places.every((place) => place >= 0) ? places : null;
  };
  const stated: ClaimField[] = [];
  let unknown = 0;
  for (const record of records) {
    for (const line of record.lines) {
      if (!line.flag) continue;
      const places = find(line.key);
      if (places === null) continue;
      const negated = places.some((place) => (tokens[place] as SupportToken).negated || (tokens[place] as SupportToken).denied);
      stated.push({ line, agrees: negated !== line.affirmed, at: places });
    }
    for (const key of record.unknown) if (find(key) !== null) unknown++;
  }
  return { stated, unknown };
}

/** Content words on either side of a word that make its context, in the claim and in the evidence. */
const CONTEXT_REACH = 3;

const CONTEXT_WINDOW = 8;

/** Places of one word that are looked at. */
const CONTEXT_PLACES = 24;

function contextHeld({ stem }: SupportToken, at: number, { tokens }: SupportSentence, { places, sentences }: SupportEvidence): number {
  const found = places.get(stem);
  if (found === undefined) return 0;
  const context = new Map<number, number>();
  let sum = 0;
  for (const step of [-1, 1]) {
    for (let i = at + step, taken = 0; taken < CONTEXT_REACH && i >= 0 && i < tokens.length; i += step) {
      const token = tokens[i] as SupportToken;
      if ((!token.content && !token.number) || token.stem === stem) continue;
      taken++;
      if (context.has(token.stem)) continue;
      context.set(token.stem, 1 / taken);
      sum += 1 / taken;
    }
  }
  if (sum === 0) return 1;
  let most = 0;
  for (const { sentence, token } of found.slice(0, CONTEXT_PLACES)) {
    const line = sentences[sentence] as SupportSentence;
    const reach = line.line === null ? CONTEXT_WINDOW : line.tokens.length;
    const seen = new Set<number>();
    let held = 0;
    for (let i = Math.max(0, token - reach); i <= Math.min(line.tokens.length - 1, token + reach); i++) {
      const other = (line.tokens[i] as SupportToken).stem;
      const weight = context.get(other);
      if (weight === undefined || seen.has(other)) continue;
      seen.add(other);
      held += weight;
    }
    most = Math.max(most, held / sum);
  }
  return most;
}

function topCosines(vector: Float64Array, others: readonly Float64Array[]): number[] {
  const cosines = others.map((other) => {
    let dot = 0;
    for (let i = 0; i < vector.length; i++) dot += (vector[i] as number) * (other[i] as number);
    return dot;
  });
  return cosines.sort((a, b) => b - a).slice(0, 3);
}

function placesIn(sentence: SupportSentence | undefined, words: readonly ClaimWord[]): number[] {
  if (sentence === undefined) return [];
  const first = new Map<number, number>();
  sentence.tokens.forEach(({ stem }, i) => {
    if (!first.has(stem)) first.set(stem, i);
  });
  return words.flatMap(({ token }) => first.get(token.stem) ?? []);
}
