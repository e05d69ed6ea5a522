import { dot } from "../cross-encoder/reader.ts";
import { injectionSignals } from "../guard/injection.ts";
import { AUXILIARY, type Clause, clausesOf, JOINED, readQuestion } from "../language/question.ts";
import { documentsShown } from "../memory/session-messages.ts";
import { readFilters } from "../retrieval/filters.ts";
import { applyFilters } from "../retrieval/retrieve.ts";
import { RequestError } from "../shared/errors.ts";
import type { AskRequest, Question, QuestionPart, Selection, StoredDocument, Turn } from "../shared/types.ts";
import { documentOfChunk } from "../text/paths.ts";
import { tokenize, words } from "../text/tokens.ts";
import type { PipelineContext, RankingModels, StageLog } from "./context.ts";

/** Matches control characters, and those that hide or reorder text. `admitQuestion` replaces tabs and line breaks beforehand. */
const FORBIDDEN = /[\p{Cc}\u200B\u2028-\u202E\u2060-\u2069\uFEFF]/u;

/**
 * Validates a request and resolves a follow-up into a standalone question. A question about a selection is not resolved: topics of earlier
 * turns would distort the search in the selected text.
 * @throws RequestError `question_empty`, `question_too_long`, `question_control_characters`
 */
export function admitQuestion(
  request: AskRequest,
  history: readonly Turn[],
  { maxCharacters, isInstruction, embed }: Pick<PipelineContext, "maxCharacters" | "isInstruction"> & { readonly embed?: Embed },
): Question {
  const { filters: _, turns: __, ...rest } = request;
  const text = request.question.replaceAll(/[\t\r\n]+/g, " ").trim();
  if (text === "") throw new RequestError("question_empty", "The question is empty. Write what you want to know.");
  if (text.length > maxCharacters) {
    const message = `The question has ${text.length} characters; the limit is ${maxCharacters}. Shorten it.`;
    throw new RequestError("question_too_long", message, { characters: text.length, limit: maxCharacters });
  }
  const at = text.search(FORBIDDEN);
  if (at >= 0 || !text.isWellFormed()) {
    const point = (text.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    const code = at >= 0 ? `U+${point} at position ${at}` : "an incomplete surrogate pair";
    const message = `The question contains a control or invisible character (${code}). Remove it and ask again.`;
    throw new RequestError("question_control_characters", message);
  }
  const resolved = request.selection === null ? resolveFollowUp(text, history, embed).text : text;
  return { ...rest, text, resolved, history, injectionSignals: injectionSignals(text, isInstruction) };
}

/** Validates a request, and resolves a follow-up into a standalone question. Also resolves filters. @throws RequestError when invalid */
export async function admit(request: AskRequest, context: PipelineContext, log: StageLog): Promise<Question> {
  const { store, isCrisis, ranking } = context;
  const earlier = await earlierTurns(request, context);
  const inCrisis = await Promise.all(earlier.map((turn) => isCrisis(turn.question)));
  const history = earlier.filter((_, i) => !inCrisis[i]);
  const { selection, scope } = request;
  const admitted = admitQuestion(request, history, { ...context, embed: (texts) => ranking().embed(texts) });
  if (selection !== null) {
    const { documentId: id } = selection;
    assertSelection(selection, (await store.documents.load(scope, [id])).get(id));
  }
  const question = { ...admitted, ...(await applyFilters(readFilters(request.filters), scope, store.documents)) };
  log.fact("history", question.history.length);
  log.fact("injection_signals", question.injectionSignals.join(",") || null);
  log.fact("searched_in", question.filters?.searchedIn ?? null);
  log.fact("resolved", question.resolved === question.text ? null : question.resolved);
  if (question.resolved !== question.text) log.notice("follow_up", `Interpreted as: ${question.resolved}`);
  return question;
}

/**
 * Returns the session's last turns. If the user may no longer see a document of an answer, that answer is emptied,
 * because a model could repeat it.
 */
async function earlierTurns({ sessionId, scope, userId, turns: given }: AskRequest, { profile, store }: PipelineContext): Promise<Turn[]> {
  if (given !== undefined) return profile.sessionTurns === 0 ? [] : given.slice(-profile.sessionTurns);
  if (sessionId === null) return [];
  const turns = await store.sessions.turns(sessionId, scope, profile.sessionTurns, userId);
  const named = turns.map((turn) => {
    return { turn, cited: [...new Set(turn.citations.map(documentOfChunk))], shown: documentsShown(turn.shown) };
  });
  const visible = await store.documents.load(scope, [...new Set(named.flatMap(({ cited, shown }) => [...cited, ...shown]))]);
  return named.map(({ turn, cited, shown }, i) => {
    const kept = [...cited, ...shown].every((id) => visible.has(id)) ? turn : { ...turn, answer: "" };
    if (i < turns.length - 1 || cited.length === 0) return kept;
    return { ...kept, titles: cited.flatMap((id) => visible.get(id)?.title ?? []) };
  });
}

/**
 * Checks that a selection is a valid range of its document.
 * @param document the document as the asker may see it; `undefined`: not found or not visible
 * @throws RequestError `unknown_document`, `selection_invalid`
 */
export function assertSelection({ documentId, start, end }: Selection, document: Pick<StoredDocument, "text"> | undefined): void {
  if (document === undefined) {
    const message = `The document of the selection, "${documentId.slice(0, 100)}", does not exist or is not accessible to you. Send the id of an accessible document.`;
    throw new RequestError("unknown_document", message, { id: documentId });
  }
  const { length } = document.text;
  const invalid = (reason: string) =>
    new RequestError("selection_invalid", `The selection ${start}–${end} ${reason}.`, { start, end, characters: length });
  if (!Number.isInteger(start) || !Number.isInteger(end) || start < 0) throw invalid("must consist of whole numbers from 0");
  if (end <= start) throw invalid("is empty: its end must be greater than its start");
  if (start >= length) throw invalid(`begins after the last character of the document, which has ${length} characters: select again`);
}

/** Maximum number of questions in a message. A message with more is treated as one question. */
const MAX_PARTS = 4;

/** Matches an optional preposition before a question word: "by when", "in which year". */
const BEFORE = "(?:(?:about|after|at|before|by|for|from|in|of|on|since|till|to|under|until|with|within)\\s+)?";
/** Matches a question word with its verb ("which one can", "how much weight does") or as the subject ("who kept"). */
const QUESTION_WORD = [
  String.raw`(?:when|where|why)(?:['’]?s|\s+${AUXILIARY})\b`,
  String.raw`(?:what|which|who|whom|whose|how)(?:['’]?s|(?:\s+[\p{L}\d'’-]+){0,3}?\s+${AUXILIARY})\b`,
  String.raw`(?:what|how)\s+(?:about|if|come)\b`,
  String.raw`who\s+\p{L}+`,
].join("|");
const ASKS = new RegExp(`${JOINED}${BEFORE}(?:${QUESTION_WORD})`, "iu");
/** Matches a question whose question word belongs to the subject: "what happened", "how many boats struck". */
const ASKS_OF_DOER = new RegExp(String.raw`${JOINED}${BEFORE}(?:what|which|whose|how\s+(?:many|much|often|long))\s+\p{L}`, "iu");
/** Matches a yes-no question with a pronoun or determiner: "is there", "can I". */
const ASKS_WHETHER = new RegExp(String.raw`${JOINED}${AUXILIARY}\s+(?:i|we|you|he|she|they|it|this|that|there|my|our|the)\b`, "iu");
/** Matches a yes-no question with any subject: "does the boat". Used only at the start of the message or before a question mark. */
const ASKS_WHETHER_SO = new RegExp(String.raw`${JOINED}${AUXILIARY}\s+\p{L}+`, "iu");
/** Matches a short clause after "and": "and why", "and for how long", "and how many crew". */
const ASKS_BRIEFLY = new RegExp(
  String.raw`^\W*(?:and|but|also|plus)\s+${BEFORE}(?:why|when|where|who|whom|which|what|how)(?:\s+[\p{L}'’-]+){0,3}\W*$`,
  "iu",
);
/** Matches "or" at the start of a clause. Such a clause begins no new question: "Is it added or combined" is one question. */
const ALTERNATIVE = /^\W*or\b/iu;
const SENTENCE_END = /[?!.]+(?=\s|$)/u;
const LEADING = new RegExp(JOINED, "iu");
const TRAILING = /[\s,;:.&–-]+$/u;

/**
 * Splits a message with several questions into parts, in order. Returns an empty list for a single question, an
 * ambiguous one, or more than `MAX_PARTS`. Each clause that asks something begins a part. A clause that asks nothing
 * belongs to the part before it; at the start of the message, to the first part.
 *
 * @example questionParts("How thick is the rope, and how much can it hold?")
 * // [{ text: "How thick is the rope", … }, { text: "how much can it hold?", resolved: "how much can it hold? (thick; rope)" }]
 */
export function questionParts(message: string): QuestionPart[] {
  const starts = clausesOf(message.replaceAll(/(?<=\s)&(?=\s)/g, ";"))
    .filter((clause) => begins(clause, message))
    .map(({ start }) => start);
  if (starts.length < 2 || starts.length > MAX_PARTS) return [];
  return starts.map((at, i) => {
    const [start, end] = [i === 0 ? 0 : at, starts[i + 1] ?? message.length];
    const text = message
      .slice(start, end)
      .replace(i === 0 ? "" : LEADING, "")
      .replace(TRAILING, "")
      .trim();
    const before = message.slice(0, start).trim();
    const { text: resolved } = resolveFollowUp(text, before === "" ? [] : [{ question: before, answer: "" }]);
    return { text, resolved, standsAlone: resolved === text || (topicWords(text) > 0 && !pointsBack(text)) };
  });
}

/** Returns whether a clause clearly begins a question. After a bare comma it often does not: "who" may start a relative clause. */
function begins({ text, start, before, behind }: Clause, message: string): boolean {
  if (ALTERNATIVE.test(text)) return false;
  const isJoined = before !== "," || /^\W*(?:and|but|also|plus)\b/iu.test(text);
  const isStated = /[.!]/.test(SENTENCE_END.exec(message.slice(start))?.[0] ?? "");
  if (isJoined && !isStated && ASKS_OF_DOER.test(text)) return true;
  if (ASKS.test(text)) return isJoined || !/^\W*(?:who|which|whom|whose)\b/iu.test(text);
  const asksWhether = ASKS_WHETHER.test(text) || ((behind.includes("?") || (start === 0 && !isStated)) && ASKS_WHETHER_SO.test(text));
  return isJoined && (asksWhether || ASKS_BRIEFLY.test(text));
}

type Embed = RankingModels["embed"];

interface ResolvedQuestion {
  readonly text: string;
  /** Phrases from earlier turns; empty if the question stands alone. */
  readonly added: readonly string[];
}

/** Maximum number of earlier turns to use. */
const TURNS = 5;
/** Maximum number of added phrases. More outweigh the question (`eval follow-ups`: 2 phrases find 800 of 1,198 passages, 3 find 794). */
const MAX_ADDED = 2;
/** The weight of a turn is multiplied by this factor once for every newer turn. */
const AGE_SHARE = 0.6;
/** Hand-chosen salience weights. A question's topic counts most, then cited titles. Names in an answer may be mere examples. */
const SALIENCE = { question: 3, name: 1, title: 2.5, answer: 0.8 } as const;
/** A pronoun after fewer content words than this, and after no name, is assumed to refer to an earlier turn. */
const OWN_ANTECEDENT = 2;
/** A question with at most this many content words and no name counts as a follow-up. */
const SHORT = 1;

const OPENERS =
  /^(?:and|but|or|so|also|then|what about|how about|what if|and if|why not|what else|who else|where else|any(?:thing)? (?:else|other|more))\b/iu;
const ELSE = /\b(?:else|the same|another|any other|other than that|instead|as well|too|either|the (?:other|former|latter))\b/iu;
const PRONOUN = /\b(?:it|its|it's|they|them|their|theirs|he|him|his|she|her|hers|this|that|these|those|there)\b/giu;
/** Matches pronouns that do not refer to earlier text: "there is", "it is possible", "say that", "this week". */
const NOT_POINTING =
  /\b(?:is|was|are|were|will|would|can|could|if|does|has|have|had)\s+(?:there)\b|\bthere\s+(?:is|are|was|were|will|be|any|a)\b|\bit(?:'s|\s+is|\s+was|\s+be)?\s+(?:possible|true|necessary|better|worth|ok|okay|too late)\b|\bis\s+it\s+(?:possible|true|necessary|better|worth|ok|okay|too late)\b|\b(?:this|that|these|those)\s+(?:week|month|year|time|morning|day|days|is\s+why)\b|(?<=\p{L}\s)(?<!\b(?:is|was|are|were|does|do|did|about|for|with|of|to|after|before|on|in|at|like|from|by|can|will|would|and|than|during)\s)that\b(?=\s+\p{L})|\bso\s+that\b|\bin\s+order\s+that\b|\bsay\s+that\b/giu;
/** Verbs and fillers that never name a topic. */
const NO_TOPIC = new Set(
  (
    "take takes took get gets got getting apply applies applied file files filed filing need needs needed work works worked pay pays paid use uses used using " +
    "want wants know make makes made give gives given go goes going went come comes came help helps helped happen happens happened start starts started " +
    "begin began end ends ended last lasts cover covers covered qualify qualifies qualified eligible receive receives received send sends sent ask asks " +
    "asked find found become became include includes included apart aside say says said tell told think thought feel felt play played release released " +
    "record recorded do does did done have has had be is are was were long much many often soon any some other others else also still even just really " +
    "ever first next new different same thing things something anything interesting aspects article famous notable popular important good bad well " +
    "people person kind type sort lot way part time times year years day days month months wife's husband's there well-known call called join joined left leave "
  ).split(" "),
);

/**
 * Resolves a follow-up into a standalone question without a model. If the question has a pronoun, an ellipsis or few
 * words, the most salient topics, titles and names of the last turns are appended. A standalone or doubtful question is
 * returned unchanged. All added text is verbatim from the conversation.
 *
 * @param embed embeds phrases, to find the phrase of the previous question that a follow-up such as "And on diesel?"
 * replaces; that phrase is not added. Absent: no phrase counts as replaced
 * @example resolveFollowUp("How long does it take?", [{ question: "What is a Higher-Level Review?", answer: "…"
 * }]).text // "How long does it take? (Higher-Level Review)"
 */
export function resolveFollowUp(question: string, history: readonly Turn[], embed?: Embed): ResolvedQuestion {
  const turns = history.slice(-TURNS);
  const last = turns.at(-1);
  if (last === undefined || !leansOnHistory(question)) return { text: question, added: [] };
  const kept =
    embed === undefined ? null : phrasesKept(question, last.question, resolveFollowUp(last.question, turns.slice(0, -1), embed), embed);
  if (kept !== null) return { text: `${question.trim()} (${kept.join("; ")})`, added: kept };
  const own = new Set(tokenize(question));
  const added: string[] = [];
  const covered = new Set(own);
  for (const phrase of rankPhrases(turns)) {
    if (added.length === MAX_ADDED) break;
    const tokens = tokenize(phrase);
    if (tokens.every((token) => covered.has(token))) continue;
    added.push(phrase);
    for (const token of tokens) covered.add(token);
  }
  return added.length === 0 ? { text: question, added } : { text: `${question.trim()} (${added.join("; ")})`, added };
}

/**
 * Settings for finding the phrase that a follow-up replaces, by cosine similarity. `last` and `sameWord` are bonuses:
 * for the last phrase of the previous question, and for a phrase after the same word as in the follow-up. `lead` is the
 * minimum lead of the best phrase over the second. Chosen on 30 dialogs (`lab/log/retrieval.md`).
 */
const REPLACED = { last: 0.2, sameWord: 0.15, lead: 0.2 } as const;

/**
 * Returns the phrases of the previous question that still apply, if the follow-up is a single phrase that replaces one
 * of them. Returns `null` for any other follow-up, or if no phrase is clearly the most similar to it.
 */
function phrasesKept(question: string, previous: string, { added }: ResolvedQuestion, embed: Embed): string[] | null {
  const plain = straight(question);
  const rest = plain.replace(OPENERS, "");
  const [own, ...others] = topicsOf(rest);
  if (own === undefined || others.length > 0 || rest === plain) return null;
  if (rest.search(PRONOUN) >= 0 || clausesOf(rest).some(({ asks }) => asks)) return null;
  const similarity = (phrase: string) => {
    const [a, b] = embed([own, phrase]);
    return a === undefined || b === undefined ? 0 : dot(a, b);
  };
  const phrases = [...new Set([...added, ...topicsOf(previous)])];
  const word = wordBefore(plain, own);
  const [best, second] = phrases
    .map((phrase) => {
      const isLast = phrase === phrases.at(-1) ? REPLACED.last : 0;
      return { phrase, score: similarity(phrase) + isLast + (wordBefore(previous, phrase) === word ? REPLACED.sameWord : 0) };
    })
    .sort((a, b) => b.score - a.score);
  if (best === undefined || second === undefined || best.score - second.score < REPLACED.lead) return null;
  return phrases.filter((phrase) => phrase !== best.phrase).slice(0, MAX_ADDED);
}

function wordBefore(text: string, phrase: string): string | undefined {
  return text
    .slice(0, Math.max(text.indexOf(phrase), 0))
    .trim()
    .split(" ")
    .at(-1)
    ?.toLowerCase();
}

/** Returns whether a question can only be understood with earlier turns. */
export function leansOnHistory(question: string): boolean {
  return pointsBack(question) || (topicWords(question) <= SHORT && !hasName(question));
}

function topicWords(question: string): number {
  return contentWords(readQuestion(straight(question)).content).length;
}

function straight(question: string): string {
  return question.replaceAll(/[’‘ʼ]/g, "'").trim();
}

/** Returns whether a question opens as a continuation or refers back. */
function pointsBack(question: string): boolean {
  const plain = straight(question);
  if (OPENERS.test(plain) || ELSE.test(plain)) return true;
  const pointing = plain.replaceAll(NOT_POINTING, (match) => " ".repeat(match.length));
  for (const match of pointing.matchAll(PRONOUN)) {
    if (contentWords(plain.slice(0, match.index)).length < OWN_ANTECEDENT && !hasName(plain.slice(0, match.index))) return true;
  }
  return false;
}

/** Ranks phrases of earlier turns by salience; ties keep order of appearance, latest turn first. */
function rankPhrases(turns: readonly Turn[]): string[] {
  const salience = new Map<string, { phrase: string; score: number }>();
  const note = (phrase: string, score: number) => {
    const key = tokenize(phrase).join(" ");
    if (key === "") return;
    const known = salience.get(key);
    salience.set(key, { phrase: known?.phrase ?? phrase, score: (known?.score ?? 0) + score });
  };
  [...turns].reverse().forEach(({ question, answer, titles }, age) => {
    const share = AGE_SHARE ** age;
    for (const phrase of topicsOf(question)) note(phrase, SALIENCE.question * share);
    for (const name of namesIn(question)) note(name, SALIENCE.name * share);
    for (const title of titles ?? []) note(title, SALIENCE.title * share);
    if (titles === undefined || titles.length === 0) for (const name of namesIn(answer).slice(0, 2)) note(name, SALIENCE.answer * share);
  });
  return [...salience.values()].sort((a, b) => b.score - a.score).map(({ phrase }) => phrase);
}

/** Returns the topics of a question: runs of adjacent content words. */
function topicsOf(question: string): string[] {
  const { content } = readQuestion(question);
  const topics: string[] = [];
  let run: string[] = [];
  const close = () => {
    if (run.length > 0) topics.push(run.join(" "));
    run = [];
  };
  for (const piece of content.split(/\s+/)) {
    const word = piece.replaceAll(/^[^\p{L}\p{N}$]+|[^\p{L}\p{N}%]+$/gu, "");
    if (isContent(word)) run.push(word);
    else close();
    if (/[,.;:!?)]$/.test(piece)) close();
  }
  close();
  return topics;
}

function contentWords(text: string): string[] {
  return text.split(/[^\p{L}\p{N}'&/-]+/u).filter(isContent);
}

function isContent(word: string): boolean {
  return word !== "" && !NO_TOPIC.has(word.toLowerCase()) && tokenize(word).length > 0;
}

/** Returns runs of capitalised words. A single word at the start of a sentence counts only if it is an acronym. */
function namesIn(text: string): string[] {
  const names: string[] = [];
  for (const match of text.matchAll(/\p{Lu}[\p{L}\p{N}&'-]*(?:\s+(?:(?:of|the|and|for)\s+)?\p{Lu}[\p{L}\p{N}&'-]*){0,5}/gu)) {
    const first = match.index === 0 || /[.!?]\s+$/.test(text.slice(Math.max(0, match.index - 3), match.index));
    const single = !/\s/.test(match[0]);
    if ((first && single && !/^\p{Lu}{2,}$/u.test(match[0])) || tokenize(match[0]).length === 0) continue;
    names.push(match[0]);
  }
  return names;
}

function hasName(text: string): boolean {
  return namesIn(text).length > 0 || words(text).some(({ code }) => code);
}
