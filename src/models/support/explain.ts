import type { TextRange } from "../../types.ts";
import type { ClaimWord, SupportView } from "./claim-view.ts";
import { STRANGE } from "./features.ts";
import type { SupportToken } from "./text.ts";

interface Fault extends TextRange {
  /** 0 weighs most. */
  readonly rank: number;
  readonly reason: string;
}

/** Parts of a claim that its evidence does not bear out, and the weightiest of them in words. */
export function explainSupport(view: SupportView, text: string): { spans: TextRange[]; reason: string } {
  const faults = [...amountFaults(view, text), ...fieldFaults(view, text), ...wordFaults(view, text), ...turnFaults(view, text)];
  const worst = faults.reduce<Fault | null>((best, fault) => (best === null || fault.rank < best.rank ? fault : best), null);
  return { spans: merge(faults), reason: worst?.reason ?? "Every part has a counterpart in the evidence." };
}

function amountFaults({ amounts }: SupportView, text: string): Fault[] {
  return amounts.flatMap(({ amount: { start, end }, found, otherUnit }): Fault[] => {
    if (found) return [];
    const reason = otherUnit ? "stands in the evidence with another unit" : "is not in the evidence";
    return [{ start, end, rank: 0, reason: `"${text.slice(start, end)}" ${reason}.` }];
  });
}

function fieldFaults({ fields, claim }: SupportView, text: string): Fault[] {
  return (fields ?? []).flatMap(({ agrees, at, line }): Fault[] => {
    if (agrees) return [];
    const tokens = at.map((i) => claim.tokens[i] as SupportToken).sort((a, b) => a.start - b.start);
    const start = (tokens[0] as SupportToken).start;
    const end = (tokens.at(-1) as SupportToken).end;
    return [{ start, end, rank: 1, reason: `The record ${line.affirmed ? "affirms" : "denies"} "${text.slice(start, end)}".` }];
  });
}

function wordFaults({ words }: SupportView, text: string): Fault[] {
  return words.flatMap(({ token: { start, end }, best, isName }: ClaimWord): Fault[] => {
    if (isName ? best === 1 : best >= STRANGE) return [];
    return [{ start, end, rank: isName ? 2 : 4, reason: `"${text.slice(start, end)}" has no counterpart in the evidence.` }];
  });
}

function turnFaults({ words, opposites }: SupportView, text: string): Fault[] {
  const flipped = words.filter(({ flipped: turned }) => turned).map(({ token }) => token);
  return [
    ...flipped.map(({ start, end }) => ({
      start,
      end,
      rank: 3,
      reason: `"${text.slice(start, end)}" is affirmed on one side and denied on the other.`,
    })),
    ...opposites.map(({ token: { start, end } }) => ({
      start,
      end,
      rank: 3,
      reason: `The evidence says the opposite of "${text.slice(start, end)}".`,
    })),
  ];
}

/** The words of a claim that its nearest sentence lacks, and what that one has instead. */
export function explainWording({ difference }: SupportView, text: string): { spans: TextRange[]; reason: string } {
  const { own = [], other = [] } = difference ?? {};
  const said = own.map(({ start, end }) => `"${text.slice(start, end)}"`).join(", ");
  const instead = other.map((token) => `"${token.text}"`).join(", ");
  const where = "the sentence of the evidence that comes nearest";
  const reason =
    said !== "" && instead !== ""
      ? `has ${said} where ${where} has ${instead}`
      : said !== ""
        ? `${said} stands not in ${where}`
        : instead !== ""
          ? `leaves out ${instead} of ${where}`
          : `says otherwise than ${where}`;
  return { spans: own.map(({ start, end }) => ({ start, end })), reason };
}

/** In order, without overlaps; what only blanks part is one. */
function merge(faults: readonly TextRange[]): TextRange[] {
  const sorted = [...faults].sort((a, b) => a.start - b.start || a.end - b.end);
  const spans: { start: number; end: number }[] = [];
  for (const { start, end } of sorted) {
    const last = spans.at(-1);
    if (last !== undefined && start <= last.end + 1) last.end = Math.max(last.end, end);
    else spans.push({ start, end });
  }
  return spans;
}
