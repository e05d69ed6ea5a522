const NUMBER = new Intl.NumberFormat("en");
const DATE = new Intl.DateTimeFormat("en", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });

export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${NUMBER.format(count)} ${count === 1 ? one : many}`;
}

export function formatNumber(value: number): string {
  return NUMBER.format(value);
}

/** A day such as `2026-01-15` in words; anything else as it is. */
export function formatDate(iso: string): string {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(iso)) return iso;
  const date = new Date(`${iso}T00:00:00Z`);
  return Number.isNaN(date.getTime()) ? iso : DATE.format(date);
}

/** A chance of 0–1 as people say it. */
export function formatChance(share: number): string {
  return `${Math.round(share * 100)} in 100`;
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

/** Among the timings of an answer, what is no stage: the time until its first checked sentence. */
export const FIRST_SENTENCE = "first_sentence";
