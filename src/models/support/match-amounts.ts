import type { Amount } from "./amounts.ts";
import type { ClaimAmount } from "./claim-view.ts";
import { nearestDays, type SupportEvidence, type SupportSentence, type SupportToken } from "./text.ts";

/** Tokens around an amount that tell its role. */
const ROLE_REACH = 7;

/** "1." at the start of a line, "[2]", "passage 3": no statement. */
export function isMarker({ start, end }: Amount, { tokens }: SupportSentence): boolean {
  const at = tokens.findIndex((token) => token.start >= start && token.start < end);
  const before = tokens[at - 1]?.text;
  return (at === 0 && end - start <= 2) || before === "passage" || before === "passages";
}

export function matchAmount(
  amount: Amount,
  claim: SupportSentence,
  evidence: SupportEvidence,
  top: readonly SupportSentence[],
): ClaimAmount {
  const context = contextOf(amount, claim);
  let found = false;
  let otherUnit = false;
  let near = false;
  let role = 0;
  for (const sentence of evidence.sentences) {
    for (const other of sentence.amounts) {
      const close = Math.abs(other.number - amount.number) <= 0.02 * Math.abs(amount.number);
      if (!close) continue;
      const fits = unitsFit(amount, other);
      if (other.number === amount.number) {
        if (fits) found = true;
        else otherUnit = true;
        if (fits) role = Math.max(role, overlap(context, contextOf(other, sentence)));
      } else if (fits && amount.kind !== "year") near = true;
    }
  }
  const rival =
    !found &&
    top.some(({ amounts }) =>
      amounts.some((other) => other.kind === amount.kind && other.unit === amount.unit && other.number !== amount.number),
    );
  return { amount, found, otherUnit: otherUnit && !found, near: near && !found, role, rival };
}

function unitsFit(one: Amount, other: Amount): boolean {
  if (one.kind === "time" || other.kind === "time") return one.kind === other.kind;
  if (one.kind === "percent" || other.kind === "percent") return one.kind === other.kind;
  if (one.kind === "money" && other.kind === "money") return true;
  return one.unit === "" || other.unit === "" || one.unit === other.unit;
}

/** Stems that stand near an amount, with what they weigh: nearer ones more. */
function contextOf({ start, end }: Amount, { tokens, line }: SupportSentence): Map<number, number> {
  const context = new Map<number, number>();
  const first = tokens.findIndex((token) => token.end > start);
  let last = first;
  while (last + 1 < tokens.length && (tokens[last + 1] as SupportToken).start < end) last++;
  const reach = line === null ? ROLE_REACH : tokens.length;
  for (let i = Math.max(0, first - reach); i <= Math.min(tokens.length - 1, last + reach); i++) {
    const token = tokens[i] as SupportToken;
    if (!token.content || (i >= first && i <= last)) continue;
    const distance = i < first ? first - i : i - last;
    context.set(token.stem, Math.max(context.get(token.stem) ?? 0, 1 / (1 + distance / 3)));
  }
  return context;
}

function overlap(claim: ReadonlyMap<number, number>, evidence: ReadonlyMap<number, number>): number {
  let sum = 0;
  let held = 0;
  for (const [stem, weight] of claim) {
    sum += weight;
    if (evidence.has(stem)) held += weight;
  }
  return sum === 0 ? 0.5 : held / sum;
}

export function matchHours(claim: SupportSentence, { hours }: SupportEvidence): number[] {
  if (claim.days.length === 0 || hours.every((times) => times.size === 0)) return [];
  return claim.amounts.flatMap((amount) => {
    if (amount.kind !== "time") return [];
    const days = nearestDays(amount, claim.days);
    let named = 0;
    let held = 0;
    hours.forEach((times, day) => {
      if ((days & (1 << day)) === 0) return;
      named++;
      if (times.has(amount.number)) held++;
    });
    return named === 0 ? [] : [held / named];
  });
}

export function matchClosed(claim: SupportSentence, { hours }: SupportEvidence): boolean[] {
  if (hours.every((times) => times.size === 0)) return [];
  return claim.tokens.flatMap(({ text, start, end }) => {
    if (text !== "closed") return [];
    const days = nearestDays({ start, end }, claim.days);
    return hours.flatMap((times, day) => ((days & (1 << day)) === 0 ? [] : [times.size > 0]));
  });
}
