import type { TextRange } from "../shared/types.ts";

/** Regular expression source for auxiliaries that open a yes/no question. */
export const AUXILIARY = "(?:can|could|may|must|should|shall|will|would|do|does|did|is|are|was|were|am|has|have)";
/** Regular expression source for conjunctions at the start of a clause. */
export const JOINED = String.raw`^\W*(?:(?:so|also|then|and|or|but|plus)\W+)*`;
const CLAUSE_SUBJECT = "(?:i|we|you|he|she|they|it|my|our|the|a|an|there|this|that)";
const FIRST = new RegExp(String.raw`${JOINED}(?:how|what|whats|when|where|who|whom|whose|which|why|${AUXILIARY})\b`, "i");
const LATER = new RegExp(
  String.raw`${JOINED}(?:(?:how|what|why)\b|(?:when|where|who|which)\s+(?:[a-z'’-]+\s+)?${AUXILIARY}\b|${AUXILIARY}\s+${CLAUSE_SUBJECT}\b)`,
  "i",
);
const BETWEEN = /[?!.;:]+(?=\s|$)|,|\b(?=(?:and|but|also|plus|or)\b)/giu;

/** A clause of a message, split at punctuation and conjunctions. */
export interface Clause extends TextRange {
  readonly text: string;
  /** True if the clause begins like a question. */
  readonly asks: boolean;
  /** Punctuation before and after the clause. */
  readonly before: string;
  readonly behind: string;
}

/** Returns the clauses of a message in order, without those that have no letter. */
export function clausesOf(text: string): Clause[] {
  const clauses: Clause[] = [];
  let [start, before] = [0, ""];
  const add = (end: number, mark: string) => {
    const clause = text.slice(start, end);
    const last = clauses.at(-1);
    if (/\p{L}/u.test(clause)) {
      clauses.push({ start, end, text: clause, asks: (clauses.length === 0 ? FIRST : LATER).test(clause), before, behind: mark });
      before = mark;
    } else {
      before += mark;
      if (last !== undefined) clauses[clauses.length - 1] = { ...last, behind: before };
    }
    start = end + mark.length;
  };
  for (const match of text.matchAll(BETWEEN)) add(match.index, match[0]);
  add(text.length, "");
  return clauses;
}

/** A question's topic and the kind of answer it asks for. */
export interface QuestionShape {
  readonly type: QuestionType;
  /** The question without its question frame, or the whole question if nothing would remain. */
  readonly content: string;
}

/** The first match wins, so narrower kinds come first. */
const TYPES = [
  ["which-form", /\b(?:(?:which|what)(?:\s+[\p{L}-]+){0,3}\s+forms?|forms?\s+number|(?:which|what)\s+paperwork)\b/iu],
  [
    "how-long",
    /\bhow\s+(?:long|soon|(?:many|much)\s+(?:\w+\s+)?(?:days?|weeks?|months?|years?|hours?|minutes?|time))\b|\b(?:deadline|time\s+limit)\b/iu,
  ],
  ["how-many", /\bhow\s+(?:many|often|old|far)\b/iu],
  [
    "how-much",
    /\bhow\s+much\b|\bwhat(?:'s|\s+is|\s+are)?\s+the\s+(?:cost|price|amount|rate|maximum|max|most|percentage)\b|\bwhat\s+(?:percent|rating)/iu,
  ],
  ["how-do-i", /\bhow\s+(?:do|can|could|should|would|to|does\s+(?:one|someone|a))\b|\b(?:steps|way)\s+to\b/iu],
  [
    "list",
    /\b(?:list|name)\s+(?:of|all|the|every)\b|\bwhat\s+are\s+(?:all|the|some)\b|\bwhich\s+\p{L}+s\b|\bwhat\s+(?:kinds?|types?|sorts?)\s+of\b/iu,
  ],
  ["when", /\b(?:when|what\s+(?:date|day|month|year|time))\b/iu],
  ["where", /\bwhere\b|\bwhat\s+(?:address|place)\b/iu],
  ["who", /\b(?:who|whom|whose)\b/iu],
  ["why", /\b(?:why|how\s+come|what\s+for)\b/iu],
  [
    "can-i",
    /(?:^|[,.;:!?]\s*|\b(?:so|and|but|or)\s+)(?:can|could|may|am|are|is|do|does|did|will|would|should|has|have|must)\s+(?!you\s+(?:tell|explain|help|list))[\p{L}']+/iu,
  ],
  [
    "definition",
    /\b(?:define|definition\s+of|meaning\s+of)\b|\bwhat\s+(?:does|do)\s+.{1,200}?\s(?:mean|stand\s+for)\b|^\W*what(?:'s|\s+(?:is|are))\s+(?:an?\s+)?(?!the\b|my\b|your\b|their\b)[\p{L}\d'&-]+(?:\s+[\p{L}\d'&-]+){0,2}\W*$/iu,
  ],
  ["what", /\b(?:what|which)\b/iu],
] as const;

/** Kind of answer that a question asks for; `other` if its words do not say. */
export type QuestionType = (typeof TYPES)[number][0] | "other";

const SUBJECT = "(?:i|we|he|she|they|you|one|someone|somebody|people)";

/**
 * Question phrases without a topic. Words that they enclose stay: "how long does the review take" becomes "the review
 * take".
 */
const FRAMES = new RegExp(
  [
    String.raw`\bhow\s+(?:long|much|many|often|soon|old|far|come)\b`,
    String.raw`\bhow\s+(?:do|can|could|should|would|does|did|will|to|is|are)\s+(?:${SUBJECT}\b)?(?:\s+(?:need|have)\s+to\b)?(?:\s+go\s+about\b)?`,
    String.raw`\b(?:what|who|where|when|why|which)(?:'s|\s+(?:is|are|was|were))?\b(?:\s+the\s+(?:best|easiest|right|quickest)\s+way\s+to\b)?`,
    String.raw`\b(?:can|could|would|will)\s+you\s+(?:please\s+)?(?:tell|explain|show|help|give|list|say|clarify)\b(?:\s+(?:to\s+)?(?:me|us)\b)?`,
    String.raw`\b(?:please\s+)?(?:tell|show)\s+(?:me|us)\b(?:\s+(?:more|everything|something|all))?(?:\s+about\b)?`,
    String.raw`\b(?:please\s+)?give\s+me\b(?:\s+(?:information|info|details)\b)?(?:\s+(?:about|on)\b)?`,
    String.raw`\b(?:can|could|may|should|must|will|would|do|does|did|am|are|is)\s+${SUBJECT}\b(?:\s+(?:still|just|even|also|really)\b)?(?:\s+(?:need|have|get|hypothetical|allowed|able)\s+to\b)?`,
    String.raw`\b(?:does|did)\b`,
    String.raw`\b(?:have|has|need|needs)\s+to\b`,
    String.raw`\bis\s+(?:it\s+possible|there\s+(?:a|any)\s+way)\b(?:\s+(?:to|for|that)\b)?`,
    String.raw`\b${SUBJECT}(?:\s+am|'m|\s+was)?\s+(?:just\s+)?(?:wondering|curious|asking)\b(?:\s+(?:if|about|whether))?`,
    String.raw`\b${SUBJECT}(?:\s+would|'d)?\s+(?:want|like|need)\s+to\s+(?:know|find\s+out|understand|ask)\b(?:\s+(?:if|about|whether))?`,
    String.raw`\b(?:do|does)\s+(?:anyone|anybody|someone|you)\s+know\b(?:\s+(?:if|whether))?`,
    String.raw`\b(?:help\s+me|please|thanks|thank\s+you|hello|hi\s+there|hey|roughly\s+how|any\s+idea)\b`,
  ].join("|"),
  "giu",
);

const APOSTROPHES = /[’‘ʼ]/g;
const HAS_WORD = /[\p{L}\p{N}]/u;

/** Splits a question into its type and its content. Linear in its length. */
export function readQuestion(text: string): QuestionShape {
  const plain = text.replaceAll(APOSTROPHES, "'");
  const type = TYPES.find(([, pattern]) => pattern.test(plain))?.[0] ?? "other";
  const content = plain.replaceAll(FRAMES, " ").replaceAll(/\s+/g, " ").trim();
  return { type, content: HAS_WORD.test(content) ? content : text };
}
