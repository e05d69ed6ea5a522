/** Kind of answer that a question asks for. `fact`: yes or no. `open`: its words do not say. */
export type AskedKind =
  | "time"
  | "amount"
  | "place"
  | "person"
  | "form"
  | "method"
  | "reason"
  | "contact"
  | "definition"
  | "thing"
  | "fact"
  | "open";

const SPAN = "(?:days?|weeks?|months?|years?|hours?|minutes?|time)";

/** The first match wins. */
const KINDS: readonly (readonly [AskedKind, RegExp])[] = [
  ["form", /\b(?:(?:which|what)(?:'s)?(?:\s+[\p{L}'-]+){0,6}\s+forms?\b|forms?\s+number|(?:which|what)\s+paperwork)/iu],
  [
    "contact",
    /\b(?:phone|telephone|hotline|crisis line)\b|\bnumber\s+(?:to\s+call|for)\b|\bwho(?:m)?\s+(?:do|can|should)\s+\w+\s+(?:call|contact)\b|\bwho\s+can\s+help\b/iu,
  ],
  [
    "time",
    new RegExp(
      String.raw`\bhow\s+(?:long|soon|quickly|fast|old)\b|\bhow\s+(?:many|much)\s+(?:\w+\s+){0,2}${SPAN}\b|\b(?:deadline|time\s+limit|time\s+frame|(?:minimum|maximum)\s+(?:\w+\s+)?(?:time|stay|service|days|months|years)|(?:what|which|minimum|maximum|at\s+what|until\s+what)\s+(?:\w+\s+)?age)\b|\bwhen\s+(?:is|are|was|were|do|does|did|will|would|can|could|should|must)\b|\b(?:what|which)\s+(?:\w+\s+)?(?:dates?|days?|months?|years?|time)\b`,
      "iu",
    ),
  ],
  ["reason", /\b(?:why|how\s+come|for\s+what\s+reason)\b/iu],
  [
    "amount",
    /\bhow\s+(?:much|many|far|big|large)\b|\bwhat(?:'s|\s+is|\s+are)?\s+(?:the\s+|my\s+)?(?:\w+\s+){0,3}(?:costs?|price|amounts?|rates?|maximum|max|most|limit|percent(?:age)?s?|ratings?|fees?|total|balance)\b|\b(?:max|maximum|percent)\b/iu,
  ],
  ["place", /\b(?:where|what\s+address|mailing\s+address|which\s+office)\b/iu],
  ["person", /(?:^|[,.;:!?-]\s*)(?:who|whom|whose|who['’]s|(?:which|what)\s+people)\b/iu],
  ["method", /\bhow\s+(?:do|can|could|should|would|to|does|might)\b|\b(?:steps|way)\s+to\b|\bhelp\s+me\b/iu],
  [
    "fact",
    /(?:^|[,.;:!?]\s*|\b(?:so|and|but|or)\s+)(?:can|could|may|am|are|is|do|does|did|will|would|should|has|have|must)\s+(?!you\s+(?:tell|explain|help|list))[\p{L}']+/iu,
  ],
  [
    "definition",
    /^\W*what(?:['’]?s|\s+(?:is|are))\s+(?:an?\s+|the\s+)?(?!(?:\w+\s+)*(?:of|for|if|to|that)\b)[\p{L}\d'’&()-]+(?:\s+[\p{L}\d'’&()-]+){0,5}\W*$|\b(?:define|definition|meaning|explained|stand\s+for)\b|\bexplain\s+(?!what|how|why|when|where|who)|\bwhat(?:['’]?s|\s+is)\s+(?:that|it|this)\W*$/iu,
  ],
  ["thing", /\b(?:what|which|whats)\b/iu],
  // Keywords without a question.
  ["form", /\bforms?\b/iu],
  ["time", /\b(?:deadline|duration|dates?|how\s+long|hours)\b/iu],
  [
    "amount",
    /\b(?:money|amounts?|stipend|allowance|payments?|costs?|price|rates?|fees?|percent(?:age)?|limit|maximum|minimum|per\s+(?:month|year|week|day)|monthly|yearly|annual)\b/iu,
  ],
  ["method", /\b(?:apply(?:ing)?|application|sign(?:ing)?\s+up|enroll(?:ing)?|order(?:ing)?|request(?:ing)?|how|steps)\b/iu],
];

/** Pairs of kinds that may ask for the same thing: where to get something is also how to get it. */
const KINDRED: ReadonlySet<string> = new Set([
  "method place",
  "contact person",
  "contact method",
  "contact place",
  "contact form",
  "fact thing",
  "amount thing",
  "definition thing",
  "definition open",
  "open thing",
  "fact open",
]);

/** Returns the kind of answer that a question asks for. Linear in its length. */
export function readAsked(question: string): AskedKind {
  return KINDS.find(([, pattern]) => pattern.test(question))?.[0] ?? "open";
}

/** Checks whether questions of two kinds can have the same answer. */
export function kindsAgree(a: AskedKind, b: AskedKind): boolean {
  if (a === b) return true;
  return KINDRED.has([a, b].sort().join(" "));
}
