import type { ClaimWord, SupportView } from "./claim-view.ts";
import { type Difference, WORD_CLASSES } from "./difference.ts";
import type { OppositeKind } from "./lexicon.ts";
import { CAUSES, EVALUATIONS, GENDERS, HEDGES, META_WORDS, NEGATIONS, OBLIGATIONS, SUPERLATIVES, TELLING, UNIVERSALS } from "./lexicon.ts";
import { pairKey, type SupportSentence, type SupportToken } from "./text.ts";

/** A number about a claim and its evidence, or `null` when what it measures is not there. */
export type SupportFeature = (view: SupportView) => number | null;

/** Below this similarity a word of the claim has no counterpart in the evidence. */
export const STRANGE = 0.5;

// Words found

function weighted(words: readonly ClaimWord[], value: (word: ClaimWord) => number): number | null {
  return words.length === 0 ? null : words.reduce((sum, word) => sum + word.weight * value(word), 0);
}

/** The k-th least of what words are worth, from 1; `null` with fewer words. */
function least(words: readonly ClaimWord[], value: (word: ClaimWord) => number, k = 1): number | null {
  const sorted = words.map(value).sort((a, b) => a - b);
  return sorted[k - 1] ?? null;
}

function smallest(values: readonly number[]): number | null {
  return values.length === 0 ? null : Math.min(...values);
}

/** Most words in a row that have no counterpart in the evidence. */
function longestStrange({ tokens }: SupportSentence, words: readonly ClaimWord[]): number {
  const strangers = new Set(words.filter(strange).map(({ token }) => token.stem));
  let longest = 0;
  let run = 0;
  for (const { content: counts, stem } of tokens) {
    if (!counts) continue;
    run = strangers.has(stem) ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}

const strange = (word: ClaimWord) => word.best < STRANGE;

function rarest(words: readonly ClaimWord[]): number {
  return words.reduce((most, { rarity }) => Math.max(most, rarity), 0);
}

// Runs copied

function share(tokens: readonly SupportToken[], size: number, held: (at: number) => boolean): number | null {
  const count = tokens.length - size + 1;
  if (count <= 0) return null;
  let found = 0;
  for (let i = 0; i < count; i++) if (held(i)) found++;
  return found / count;
}

function bigramHeld({ claim: { tokens }, evidence }: SupportView, at: number): boolean {
  return evidence.bigrams.has(pairKey((tokens[at] as SupportToken).stem, (tokens[at + 1] as SupportToken).stem));
}

function trigramHeld({ claim: { tokens }, evidence }: SupportView, at: number): boolean {
  const [one, two, three] = tokens.slice(at, at + 3) as [SupportToken, SupportToken, SupportToken];
  return evidence.trigrams.has(`${one.stem} ${two.stem} ${three.stem}`);
}

/** Longest run of tokens whose neighbours are neighbours in the evidence, as a share of the claim. */
function longestRun(view: SupportView): number {
  const { tokens } = view.claim;
  let longest = 0;
  let run = 0;
  for (let i = 0; i + 1 < tokens.length; i++) {
    run = bigramHeld(view, i) ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return (longest + 1) / tokens.length;
}

/** Neighbours that the evidence both has, but not side by side. */
function newPairs(view: SupportView): number {
  const { tokens } = view.claim;
  const { places } = view.evidence;
  let count = 0;
  for (let i = 0; i + 1 < tokens.length; i++) {
    const one = tokens[i] as SupportToken;
    const two = tokens[i + 1] as SupportToken;
    if (one.content && two.content && places.has(one.stem) && places.has(two.stem) && !bigramHeld(view, i)) count++;
  }
  return count;
}

/** Share of neighbours in the claim that stand the other way round in the best sentence. */
function inversions({ orderInBest: places }: SupportView): number | null {
  if (places.length < 2) return null;
  let turned = 0;
  for (let i = 1; i < places.length; i++) if ((places[i] as number) < (places[i - 1] as number)) turned++;
  return turned / (places.length - 1);
}

// Names

const names = ({ words }: SupportView) => words.filter(({ isName }) => isName);

/** Names side by side that the evidence has, but not side by side: one person's first name, another's last. */
function mixedNames(view: SupportView): number {
  const { tokens } = view.claim;
  let count = 0;
  for (let i = 0; i + 1 < tokens.length; i++) {
    const one = tokens[i] as SupportToken;
    const two = tokens[i + 1] as SupportToken;
    if (!one.capital || !two.name || two.start - one.end !== 1 || !one.content) continue;
    if (view.evidence.places.has(one.stem) && view.evidence.places.has(two.stem) && !bigramHeld(view, i)) count++;
  }
  return count;
}

/** Names of the claim that the best sentence lacks while it has others that the claim lacks. */
function rivalNames(view: SupportView): number {
  const best = view.top[0];
  if (best === undefined) return 0;
  const stems = new Set(view.claim.tokens.map(({ stem }) => stem));
  const others = new Set(best.tokens.filter(({ name, stem }) => name && !stems.has(stem)).map(({ stem }) => stem)).size;
  const here = new Set(best.tokens.map(({ stem }) => stem));
  return Math.min(others, names(view).filter(({ token }) => !here.has(token.stem)).length);
}

// Classes of words

/** A gender that nothing in the evidence gives. */
function guessedGender({ claim, evidence }: SupportView): number {
  return GENDERS.reduce((sum, words) => {
    const told = count(claim.tokens, words);
    return sum + (told > 0 && ![...words].some((word) => evidence.forms.has(word)) ? told : 0);
  }, 0);
}

const count = (tokens: readonly SupportToken[], list: ReadonlySet<string>) =>
  tokens.reduce((sum, { text }) => sum + (list.has(text) ? 1 : 0), 0);

/** Words of a class that the covering sentences do not have; the claim's own weight is not asked. */
function unshared({ claim, topForms }: SupportView, list: ReadonlySet<string>): number {
  return claim.tokens.reduce((sum, { text }) => sum + (list.has(text) && !topForms.has(text) ? 1 : 0), 0);
}

/** Words of a class in the claim while the covering sentences have none of the class. */
function unmatched({ claim, top }: SupportView, list: ReadonlySet<string>): number {
  return top.some(({ tokens }) => count(tokens, list) > 0) ? 0 : count(claim.tokens, list);
}

function inTop({ top }: SupportView, list: ReadonlySet<string>): number {
  return top.slice(0, 2).reduce((sum, { tokens }) => sum + count(tokens, list), 0);
}

function opposites(kind: OppositeKind): SupportFeature {
  return ({ opposites: found }) => found.filter((one) => one.kind === kind).length;
}

// Amounts

function ofAmounts(
  view: SupportView,
  value: (amount: SupportView["amounts"][number]) => number,
  join: (...values: number[]) => number,
): number | null {
  return view.amounts.length === 0 ? null : join(...view.amounts.map(value));
}

const total = (...values: number[]) => values.reduce((sum, value) => sum + value, 0);

function content({ tokens }: SupportSentence): number {
  return tokens.reduce((sum, token) => sum + (token.content ? 1 : 0), 0);
}

/** Features of the claim beside the sentence nearest to its wording. */
function differences(measures: Readonly<Record<string, (difference: Difference) => number | null>>): Record<string, SupportFeature> {
  return Object.fromEntries(
    Object.entries(measures).map(([name, measure]) => [
      `difference.${name}`,
      ({ difference }: SupportView) => (difference === null ? null : measure(difference)),
    ]),
  );
}

/** Every feature by name; the weights file says which are used and how. */
export const SUPPORT_FEATURES: Readonly<Record<string, SupportFeature>> = {
  "all.hard": ({ words }) => weighted(words, ({ best }) => (best === 1 ? 1 : 0)),
  "all.soft": ({ words }) => weighted(words, ({ best }) => best),
  "all.hard-count": ({ words }) => (words.length === 0 ? null : words.filter(({ best }) => best === 1).length / words.length),
  "all.least": ({ words }) => least(words, ({ best }) => best),
  "all.least-2": ({ words }) => least(words, ({ best }) => best, 2),
  "all.least-3": ({ words }) => least(words, ({ best }) => best, 3),
  "strange.count": ({ words }) => words.filter(strange).length,
  "strange.weight": ({ words }) => weighted(words, (word) => (strange(word) ? 1 : 0)),
  "strange.rarest": ({ words }) => rarest(words.filter(strange)),
  "new.count": ({ words }) => words.filter(({ best }) => best < 1).length,
  "new.rarest": ({ words }) => rarest(words.filter(({ best }) => best < 1)),
  "related.count": ({ words }) => words.filter(({ best }) => best >= STRANGE && best < 1).length,
  "related.weight": ({ words }) => weighted(words, ({ best }) => (best >= STRANGE && best < 1 ? 1 : 0)),
  "related.top": ({ words }) => words.filter(({ best, bestInTop }) => best < 1 && bestInTop >= STRANGE).length,
  "clause.hard": ({ clauses }) => smallest(clauses.map(({ hard }) => hard)),
  "clause.soft": ({ clauses }) => smallest(clauses.map(({ soft }) => soft)),
  "clause.one": ({ clauses }) => smallest(clauses.map(({ one }) => one)),
  "clause.one-mean": ({ clauses }) => (clauses.length === 0 ? null : total(...clauses.map(({ one }) => one)) / clauses.length),
  "clause.count": ({ clauses }) => clauses.length,
  "clause.weak": ({ clauses }) => clauses.filter(({ soft }) => soft < STRANGE).length,
  "strange.run": ({ claim, words }) => longestStrange(claim, words),
  "context.least": ({ words }) => least(words, ({ context }) => context),
  "context.least-2": ({ words }) => least(words, ({ context }) => context, 2),
  "context.least-found": ({ words }) =>
    least(
      words.filter(({ best }) => best === 1),
      ({ context }) => context,
    ),
  "context.mean": ({ words }) => weighted(words, ({ context }) => context),
  "context.names": (view) => least(names(view), ({ context }) => context),
  "one.hard": ({ hard }) => hard[0] ?? null,
  "one.soft": ({ soft }) => soft[0] ?? null,
  "two.hard": ({ hard }) => hard[1] ?? null,
  "two.soft": ({ soft }) => soft[1] ?? null,
  "three.hard": ({ hard }) => hard[2] ?? null,
  "three.soft": ({ soft }) => soft[2] ?? null,
  "two.gain": ({ soft }) => (soft[1] ?? 0) - (soft[0] ?? 0),
  "three.rest": ({ soft, words }) => (weighted(words, ({ best }) => best) ?? 0) - (soft[2] ?? 0),
  "top.least": ({ words }) => least(words, ({ bestInTop }) => bestInTop),
  "top.least-2": ({ words }) => least(words, ({ bestInTop }) => bestInTop, 2),
  "top.strange": ({ words }) => words.filter(({ bestInTop }) => bestInTop < STRANGE).length,
  "cosine.one": ({ cosines }) => cosines[0] ?? null,
  "cosine.two": ({ cosines }) => cosines[1] ?? null,
  bigrams: (view) => share(view.claim.tokens, 2, (at) => bigramHeld(view, at)),
  trigrams: (view) => share(view.claim.tokens, 3, (at) => trigramHeld(view, at)),
  "run.longest": longestRun,
  "pairs.new": newPairs,
  "order.inversions": inversions,
  "names.count": (view) => names(view).length,
  "names.missing": (view) => names(view).filter(({ best }) => best < 1).length,
  "names.strange": (view) => names(view).filter(strange).length,
  "names.off-top": (view) => names(view).filter(({ bestInTop }) => bestInTop < 1).length,
  "names.mixed": mixedNames,
  "names.rival": rivalNames,
  "amounts.count": ({ amounts }) => amounts.length,
  "amounts.missing": (view) => ofAmounts(view, ({ found }) => (found ? 0 : 1), total),
  "amounts.far": (view) => ofAmounts(view, ({ found, near, otherUnit }) => (found || near || otherUnit ? 0 : 1), total),
  "amounts.other-unit": (view) => ofAmounts(view, ({ otherUnit }) => (otherUnit ? 1 : 0), total),
  "amounts.near": (view) => ofAmounts(view, ({ near }) => (near ? 1 : 0), total),
  "amounts.rival": (view) => ofAmounts(view, ({ rival }) => (rival ? 1 : 0), total),
  "amounts.role-least": (view) => ofAmounts(view, ({ role }) => role, Math.min),
  "amounts.role-mean": (view) => ofAmounts(view, ({ role }) => role / view.amounts.length, total),
  "hours.least": ({ hours }) => (hours.length === 0 ? null : Math.min(...hours)),
  "hours.mean": ({ hours }) => (hours.length === 0 ? null : total(...hours) / hours.length),
  "hours.closed": ({ closedYetOpen }) => (closedYetOpen.length === 0 ? null : closedYetOpen.filter((open) => open).length),
  silence: ({ claim }) => (count(claim.tokens, NEGATIONS) > 0 ? count(claim.tokens, TELLING) : 0),
  "gender.guessed": guessedGender,
  "negation.claim": ({ claim }) => count(claim.tokens, NEGATIONS),
  "negation.best": ({ top }) => count(top[0]?.tokens ?? [], NEGATIONS),
  "negation.unmatched": (view) => unmatched(view, NEGATIONS),
  "negation.flipped": ({ words }) => weighted(words, ({ flipped }) => (flipped ? 1 : 0)),
  "negation.flipped-count": ({ words }) => words.filter(({ flipped }) => flipped).length,
  "opposite.comparison": opposites("comparison"),
  "opposite.order": opposites("order"),
  "opposite.quantity": opposites("quantity"),
  "opposite.modality": opposites("modality"),
  "opposite.meaning": opposites("meaning"),
  "opposite.nowhere": ({ opposites: found }) => found.filter(({ nowhere }) => nowhere).length,
  "universal.unshared": (view) => unshared(view, UNIVERSALS),
  "universal.unmatched": (view) => unmatched(view, UNIVERSALS),
  "hedge.claim": ({ claim }) => count(claim.tokens, HEDGES),
  "hedge.top": (view) => inTop(view, HEDGES),
  "hedge.unmatched": (view) => unmatched(view, HEDGES),
  "obligation.claim": ({ claim }) => count(claim.tokens, OBLIGATIONS),
  "obligation.top": (view) => inTop(view, OBLIGATIONS),
  "obligation.unmatched": (view) => unmatched(view, OBLIGATIONS),
  "superlative.unshared": (view) => unshared(view, SUPERLATIVES),
  "cause.claim": ({ claim }) => count(claim.tokens, CAUSES),
  "cause.unmatched": (view) => unmatched(view, CAUSES),
  "evaluation.claim": ({ claim }) => count(claim.tokens, EVALUATIONS),
  "evaluation.unshared": (view) => unshared(view, EVALUATIONS),
  "record.conflicts": ({ fields }) => fields?.filter(({ agrees }) => !agrees).length ?? null,
  "record.agrees": ({ fields }) => fields?.filter(({ agrees }) => agrees).length ?? null,
  "record.unknown": ({ unknownFields }) => unknownFields,
  "meta.words": ({ claim }) => count(claim.tokens, META_WORDS),
  "length.tokens": ({ claim }) => claim.tokens.length,
  "length.content": ({ claim }) => content(claim),
  "length.stop-share": ({ claim }) => 1 - content(claim) / claim.tokens.length,
  "length.best": ({ top }) => top[0]?.tokens.length ?? null,
  "evidence.length": ({ evidence }) => Math.log2(1 + evidence.tokenCount),
  "evidence.sentences": ({ evidence }) => Math.log2(1 + evidence.sentences.length),
  ...differences({
    kept: ({ kept }) => kept,
    added: ({ added }) => added,
    "lost-inside": ({ lostInside }) => lostInside,
    "lost-outside": ({ lostOutside }) => lostOutside,
    places: ({ places }) => places,
    largest: ({ largest }) => largest,
    ...Object.fromEntries(WORD_CLASSES.map((name) => [name, ({ net }: Difference) => net[name]])),
    "conditions-added": ({ conditionsAdded }) => conditionsAdded,
    "conditions-outside": ({ conditionsOutside }) => conditionsOutside,
    "names-added": ({ names: { added } }) => added,
    "names-exchanged": ({ names: { added, lost } }) => Math.min(added, lost),
    "numbers-added": ({ numbers: { added } }) => added,
    "numbers-exchanged": ({ numbers: { added, lost } }) => Math.min(added, lost),
    "content-added": ({ content: { added } }) => added,
    "content-lost": ({ content: { lost } }) => lost,
    "content-moved": ({ content: { moved } }) => moved,
  }),
};
