const MOMENT = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
const TIME = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

/** A moment such as `2026-01-15T09:30:00Z` where the reader is, to the minute; anything else as it is. */
export function formatMoment(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? iso : MOMENT.format(date);
}

/** A moment of this year where the reader is, to the minute. */
export function formatTime(moment: number | string): string {
  return TIME.format(new Date(moment));
}

/** 0–1 with two digits and no leading zero. */
export function formatShare(share: number): string {
  return share.toFixed(2).replace(/^(-?)0\./, "$1.");
}

/** Milliseconds as people read them. */
export function formatDuration(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`;
  return ms >= 10 ? `${Math.round(ms)} ms` : `${ms.toFixed(1)} ms`;
}

/** `$0`, `$0.0123`, or that the price is not known. */
export function formatCost(usd: number | null): string {
  if (usd === null) return "not known";
  return usd === 0 ? "$0" : `$${usd.toFixed(4)}`;
}

/** The name of a check, for people. */
export function describeCheck(name: string): string {
  return name.replaceAll("-", " ");
}
