const NUMBER = new Intl.NumberFormat("en");
const DATE = new Intl.DateTimeFormat("en", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });

export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${NUMBER.format(count)} ${count === 1 ? one : many}`;
}

export function formatNumber(value: number): string {
  return NUMBER.format(value);
}

/** `33.5 MB`, as file managers count. @param round up for what is too much, down for what is allowed: the two never read the same */
export function formatBytes(bytes: number, round: (value: number) => number): string {
  if (bytes >= 1e6) return `${NUMBER.format(round(bytes / 1e5) / 10)} MB`;
  return bytes >= 1e3 ? `${NUMBER.format(round(bytes / 1e3))} kB` : formatCount(bytes, "byte");
}

/** A day such as `2026-01-15` in words; anything else as it is. */
export function formatDate(iso: string): string {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(iso)) return iso;
  const date = new Date(`${iso}T00:00:00Z`);
  return Number.isNaN(date.getTime()) ? iso : DATE.format(date);
}

const MOMENT = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });

/** A moment such as `2026-01-15T09:30:00Z` where the reader is, to the minute; anything else as it is. */
export function formatMoment(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? iso : MOMENT.format(date);
}

const TIME = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

/** A moment of this year where the reader is, to the minute. */
export function formatTime(moment: number | string): string {
  return TIME.format(new Date(moment));
}

/** 0–1 with two digits and no leading zero. */
export function formatShare(share: number): string {
  return share.toFixed(2).replace(/^(-?)0\./, "$1.");
}

/** A chance of 0–1 as people say it. */
export function formatChance(share: number): string {
  return `${Math.round(share * 100)} in 100`;
}

/** Milliseconds as people read them. */
export function formatDuration(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`;
  return ms >= 10 ? `${Math.round(ms)} ms` : `${ms.toFixed(1)} ms`;
}

/** The address if it is http(s), else `null`: nothing else becomes a link. */
export function toHttpUrl(url: string | null): string | null {
  return url !== null && /^https?:\/\//i.test(url) ? url : null;
}

/** What can be dialled, written to or opened in a contact; `null` when it is only text. */
export function toContactUrl(contact: string): string | null {
  const text = contact.trim();
  if (/^\+?[\d\s().-]{7,20}$/.test(text)) return `tel:${text.replace(/[^\d+]/g, "")}`;
  if (/^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>"]+$/.test(text)) return `mailto:${text}`;
  return toHttpUrl(text);
}

const STAGE_LINES: Readonly<Record<string, string>> = {
  admit: "Reading the question",
  lookup: "Looking for a stored answer",
  retrieve: "Searching the documents",
  recall: "Comparing with stored answers",
  verify: "Checking the passages",
  web: "Asking the web about uncertain passages",
  decide: "Deciding whether the evidence is enough",
  parts: "Answering each thing asked by itself",
  compress: "Choosing quotes",
  write: "Writing",
  check: "Checking each sentence against its quote",
  remember: "Recording the answer",
};

/** What a stage does, for people. */
export function describeStage(stage: string): string {
  return STAGE_LINES[stage] ?? stage;
}

/** The name of a check, for people. */
export function describeCheck(name: string): string {
  return name.replaceAll("-", " ");
}

/** `$0`, `$0.0123`, or that the price is not known. */
export function formatCost(usd: number | null): string {
  if (usd === null) return "not known";
  return usd === 0 ? "$0" : `$${usd.toFixed(4)}`;
}
