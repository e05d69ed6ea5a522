const NUMBER = new Intl.NumberFormat("en");
const DATE = new Intl.DateTimeFormat("en", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });

export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${NUMBER.format(count)} ${count === 1 ? one : many}`;
}

export function formatNumber(value: number): string {
  return NUMBER.format(value);
}

/** Formats a date such as `2026-01-15` in words. Any other text is returned unchanged. */
export function formatDate(iso: string): string {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(iso)) return iso;
  const date = new Date(`${iso}T00:00:00Z`);
  return Number.isNaN(date.getTime()) ? iso : DATE.format(date);
}

/** Formats a probability (0–1) as “70 in 100”. */
export function formatConfidence(share: number): string {
  return `${Math.round(share * 100)} in 100`;
}

/** Returns an http or https URL unchanged, and `null` for any other scheme, which must not become a link. */
export function toHttpUrl(url: string | null): string | null {
  return url !== null && /^https?:\/\//i.test(url) ? url : null;
}

/** Returns the `tel:`, `mailto:` or http(s) URL of a contact; `null` if the contact is plain text. */
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
  web: "Checking uncertain passages on the web",
  decide: "Deciding whether the evidence is sufficient",
  parts: "Answering each part separately",
  compress: "Choosing quotes",
  write: "Writing",
  check: "Checking each sentence against its quote",
  remember: "Saving the answer",
};

export function describeStage(stage: string): string {
  return STAGE_LINES[stage] ?? stage;
}

/** Key among an answer's timings that is no stage: milliseconds until the first checked sentence. */
export const FIRST_SENTENCE = "first_sentence";

/** Reasons for refusals in words, by the server's code. Other codes are shown unchanged. */
export const REFUSALS: Readonly<Record<string, string>> = {
  nothing_relevant: "nothing relevant found",
  evidence_too_weak: "evidence too weak",
  not_reliable: "no reliable answer",
  empty_corpus: "no documents",
  injection: "prompt injection",
  language: "not English",
  small_talk: "small talk",
  crisis: "crisis message",
};
