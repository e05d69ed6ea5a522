/** Until when one may do something, or how long something takes. */
export type AskedSpan = "deadline" | "duration";

const DEADLINE =
  /\b(?:deadline|time\s+limit|due\s+date|cut-?off|by\s+when|too\s+late|how\s+late|last\s+day)\b|\bhow\s+(?:long|much\s+time|many\s+(?:days|weeks|months|years))\s+(?:do|does|did|would|will)\s+(?:[\p{L}'’-]+\s+){1,4}?(?:have|get)\b(?!\s+to\s+wait)|\bhow\s+(?:long|much\s+time)\s+(?:have|has)\s+\p{L}+\s+got\b/iu;
const DURATION =
  /\b(?:processing\s+time|wait(?:ing)?\s+time|turnaround)\b|\bhow\s+(?:long|much\s+time|many\s+(?:days|weeks|months|years))\b.*\b(?:take|takes|took|last|lasts|wait|before\s+(?:i|we|you|they)\s+(?:get|hear|receive))\b|\bhow\s+(?:soon|quickly|fast)\b/iu;

/** Which of the two a question asks for by its words; `null`: neither, or it does not say. */
export function readAskedSpan(question: string): AskedSpan | null {
  if (DEADLINE.test(question)) return "deadline";
  return DURATION.test(question) ? "duration" : null;
}
