import type { Evidence, Passage, Quote, TextRange, Unit } from "../types.ts";

/** What choosing quotes needs of the index. */
export interface QuoteWords {
  tokens(text: string): string[];
  /** Tokens of what the question asks, its frame left out. */
  questionTokens(question: string): string[];
  idf(token: string): number;
}

/** A quote that answers some of the question, with the quotes that it cannot be understood without (a list's lead-in, a table's header). */
export interface QuoteCandidate {
  readonly quote: Quote;
  readonly context: readonly Quote[];
  readonly score: number;
  /** Tokens of the question that it holds. */
  readonly covers: ReadonlySet<string>;
}

export interface CompressOptions {
  /** Candidates returned at most. */
  readonly limit: number;
  /** Characters of one quote at most; longer units are not taken, never cut. */
  readonly maxCharacters: number;
}

/** Passages looked at; the ranking's tail adds noise, not answers. */
const PASSAGES = 5;
/** A list with its lead-in stays one quote up to this many characters. */
const WHOLE_LIST_CHARACTERS = 700;
/** What a heading's words count beside those of the sentence under it. */
const HEADING_SHARE = 0.8;
/** What the title's words count. */
const TITLE_SHARE = 0.4;
/** A heading that holds this share of the question's words asks the same: what stands under it may answer without repeating a word. */
const SAME_QUESTION = 0.6;
/** What a sentence with a number gains when the question asks for a value. */
const VALUE_BONUS = 1.5;
/** What the rank of the passage counts: the last one's sentences keep this share of their score. */
const LAST_PASSAGE_SHARE = 0.5;

/** Verbatim quotes from the evidence, best first, not overlapping. */
export function chooseQuotes(
  question: string,
  evidence: readonly Evidence[],
  words: QuoteWords,
  options: CompressOptions,
): QuoteCandidate[] {
  const asked = [...new Set(words.questionTokens(question))];
  const weight = (held: ReadonlySet<string>) => asked.reduce((sum, token) => sum + (held.has(token) ? words.idf(token) : 0), 0);
  const total = weight(new Set(asked));
  const candidates: QuoteCandidate[] = [];
  evidence.slice(0, PASSAGES).forEach(({ passage }, rank) => {
    const share = 1 - (rank / PASSAGES) * (1 - LAST_PASSAGE_SHARE);
    const titleTokens = new Set(words.tokens(passage.document.title));
    for (const group of groupUnits(passage)) {
      if (group.range.end - group.range.start > options.maxCharacters) continue;
      const quote = quoteOf(passage, group.range);
      const held = new Set(words.tokens(quote.text));
      const heading = new Set(words.tokens(group.heading));
      const own = weight(held);
      const named = weight(heading);
      if (own === 0 && named < SAME_QUESTION * total) continue;
      const fromHeading = weight(new Set([...heading].filter((token) => !held.has(token))));
      const fromTitle = weight(new Set([...titleTokens].filter((token) => !held.has(token) && !heading.has(token))));
      candidates.push({
        quote,
        context: group.context.map((range) => quoteOf(passage, range)),
        score:
          share *
          (own * (answersValueQuestion(question, quote.text) ? VALUE_BONUS : 1) + HEADING_SHARE * fromHeading + TITLE_SHARE * fromTitle),
        covers: new Set(asked.filter((token) => held.has(token) || heading.has(token))),
      });
    }
  });
  return pickDistinct(candidates.length > 0 ? candidates : windowCandidates(evidence, options), options.limit);
}

/**
 * A vector can find a passage that shares no word with the question: then the window that it found is what there is to quote.
 * What words alone found is not quoted without a word of the question.
 */
function windowCandidates(evidence: readonly Evidence[], options: CompressOptions): QuoteCandidate[] {
  return evidence.slice(0, PASSAGES).flatMap(({ passage }) => {
    const { window, scores } = passage;
    return groupUnits(passage)
      .filter(({ range }) => range.start < window.end && range.end > window.start && range.end - range.start <= options.maxCharacters)
      .flatMap(({ range, context }) => {
        if (scores.dense === null) return [];
        const quotes = context.map((one) => quoteOf(passage, one));
        return [{ quote: quoteOf(passage, range), context: quotes, score: scores.dense, covers: new Set<string>() }];
      });
  });
}

/** Greedy by score; what overlaps or repeats a chosen text is left out. */
function pickDistinct(candidates: readonly QuoteCandidate[], limit: number): QuoteCandidate[] {
  const chosen: QuoteCandidate[] = [];
  const texts = new Set<string>();
  for (const candidate of [...candidates].sort((a, b) => b.score - a.score)) {
    if (chosen.length === limit) break;
    const { quote } = candidate;
    const repeats = texts.has(quote.text) || chosen.some((other) => overlap(other.quote, quote));
    if (repeats) continue;
    chosen.push(candidate);
    texts.add(quote.text);
  }
  return chosen;
}

interface UnitGroup {
  readonly range: TextRange;
  readonly context: readonly TextRange[];
  readonly heading: string;
}

/** What can be quoted of a passage: sentences, whole short lists, list items with their lead-in, table rows with their header. */
function groupUnits(passage: Passage): UnitGroup[] {
  const groups: UnitGroup[] = [];
  const { units } = passage;
  let heading = passage.headingPath.at(-1) ?? "";
  for (let i = 0; i < units.length; i++) {
    const unit = units[i] as Unit;
    if (unit.type === "heading") {
      heading = textOf(passage, unit);
      continue;
    }
    const items = listAfter(units, i);
    const last = items.at(-1);
    const underHeading = unit.type === "list-item" && units[i - 1]?.type === "heading";
    if (underHeading && last !== undefined && last.end - unit.start <= WHOLE_LIST_CHARACTERS) {
      groups.push({ range: { start: unit.start, end: last.end }, context: [], heading });
      i += items.length;
      continue;
    }
    if (unit.type !== "list-item" && last !== undefined && textOf(passage, unit).endsWith(":")) {
      const range = { start: unit.start, end: last.end };
      if (range.end - range.start <= WHOLE_LIST_CHARACTERS) groups.push({ range, context: [], heading });
      else for (const item of items) groups.push({ range: item, context: [unit], heading });
      i += items.length;
      continue;
    }
    const header = unit.type === "table-row" ? headerOf(passage, unit) : null;
    if (header !== null && header.start === unit.start) continue;
    groups.push({ range: unit, context: header === null ? [] : [header], heading });
  }
  return groups;
}

function listAfter(units: readonly Unit[], at: number): Unit[] {
  const items: Unit[] = [];
  for (let i = at + 1; units[i]?.type === "list-item"; i++) items.push(units[i] as Unit);
  return items;
}

function headerOf(passage: Passage, row: Unit): TextRange | null {
  const header = passage.document.blocks[passage.document.blocks[row.block]?.header ?? -1];
  return header !== undefined && header.start >= passage.range.start && header.end <= passage.range.end ? header : null;
}

/** "How much", "when" and their like want a value in the sentence. A heuristic. */
function answersValueQuestion(question: string, text: string): boolean {
  return (
    /\b(how (much|many|long|old|often|far|soon)|when|what (percent|rate|rating|amount|age|date)|deadline|limit|cost|phone|number)\b/i.test(
      question,
    ) && /\d/.test(text)
  );
}

function quoteOf(passage: Passage, { start, end }: TextRange): Quote {
  return { passage, start, end, text: textOf(passage, { start, end }) };
}

function textOf(passage: Passage, { start, end }: TextRange): string {
  return passage.text.slice(start - passage.range.start, end - passage.range.start);
}

function overlap(a: Quote, b: Quote): boolean {
  return a.passage.document.id === b.passage.document.id && a.start < b.end && b.start < a.end;
}
