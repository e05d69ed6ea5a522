import type { Answer } from "../types.ts";
import { answerToWire, ownToWire } from "./answer-to-wire.ts";

interface Written {
  /** All but what differs from one time to the next. */
  readonly lasting: Readonly<Partial<Answer>>;
  readonly json: string;
}

/**
 * Writes answers as JSON for the wire. Of one that is served again and again only what differs from the last time is written anew: whatever else it holds is
 * compared, by identity where it comes from the stored answer.
 */
export function createAnswerWriter(): (answer: Answer) => string {
  const known = new WeakMap<Answer["citations"], Written>();
  return (answer) => {
    if (answer.cacheMode === "miss" || answer.proof !== undefined) return JSON.stringify(answerToWire(answer));
    const { id: _id, sessionId: _session, latencyMs: _ms, timings: _timings, ...lasting } = answer;
    const before = known.get(answer.citations);
    const json = before !== undefined && isSame(before.lasting, lasting) ? before.json : lastingJson(answer);
    if (json !== before?.json) known.set(answer.citations, { lasting, json });
    return `${JSON.stringify(ownToWire(answer)).slice(0, -1)},${json.slice(1)}`;
  };
}

function lastingJson(answer: Answer): string {
  const own = new Set(Object.keys(ownToWire(answer)));
  return JSON.stringify(Object.fromEntries(Object.entries(answerToWire(answer)).filter(([name]) => !own.has(name))));
}

function isSame(a: object, b: object): boolean {
  const [left, right] = [Object.entries(a), new Map<string, unknown>(Object.entries(b))];
  return left.length === right.size && left.every(([name, value]) => right.has(name) && isEqual(value, right.get(name)));
}

/** What is made anew for each answer is small: it is compared by its text. */
function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  return typeof a === "object" && typeof b === "object" && JSON.stringify(a) === JSON.stringify(b);
}
