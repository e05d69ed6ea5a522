/** Until when one may do something, how long something takes, or how long it holds. */
export type AskedSpan = "deadline" | "duration" | "validity";

const DEADLINE =
  /\b(?:deadline|time\s+limit|due\s+date|cut-?off|by\s+when|too\s+late|how\s+late|last\s+day)\b|\bhow\s+(?:long|much\s+time|many\s+(?:days|weeks|months|years))\s+(?:do|does|did|would|will)\s+(?:[\p{L}'’-]+\s+){1,4}?(?:have|get)\b(?!\s+to\s+wait)|\bhow\s+(?:long|much\s+time)\s+(?:have|has)\s+\p{L}+\s+got\b/iu;
const DURATION =
  /\b(?:processing\s+time|wait(?:ing)?\s+time|turnaround)\b|\bhow\s+(?:long|much\s+time|many\s+(?:days|weeks|months|years))\b.*\b(?:take|takes|took|wait|before\s+(?:i|we|you|they)\s+(?:get|hear|receive))\b|\bhow\s+(?:soon|quickly|fast)\b/iu;
const VALIDITY =
  /\bhow\s+(?:long|much\s+time|many\s+(?:days|weeks|months|years))\b[^.?!]*\b(?:valid|good\s+for|effective|in\s+(?:effect|force)|last|lasts|expire|expires|run\s+out|runs\s+out)\b/iu;

/** Which of them a question asks for by its words; `null`: neither, or it does not say. */
export function readAskedSpan(question: string): AskedSpan | null {
  if (DEADLINE.test(question)) return "deadline";
  if (DURATION.test(question)) return "duration";
  return VALIDITY.test(question) ? "validity" : null;
}
