const MOMENT = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
const TIME = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

/** Formats an ISO time in the user's time zone, to the minute. An invalid time is returned unchanged. */
export function formatMoment(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? iso : MOMENT.format(date);
}

/** Formats a time without its year, in the user's time zone, to the minute. */
export function formatTime(moment: number | string): string {
  return TIME.format(new Date(moment));
}

/** Formats a number from 0 to 1 with two digits and no leading zero: `.75`. */
export function formatShare(share: number): string {
  return share.toFixed(2).replace(/^(-?)0\./, "$1.");
}

export function formatDuration(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`;
  return ms >= 10 ? `${Math.round(ms)} ms` : `${ms.toFixed(1)} ms`;
}

/** Formats a cost as `$0` or `$0.0123`; `null`: "unknown". */
export function formatCost(usd: number | null): string {
  if (usd === null) return "unknown";
  return usd === 0 ? "$0" : `$${usd.toFixed(4)}`;
}
