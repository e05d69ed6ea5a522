import type { RecordedSettings } from "../answer/parts.ts";
import type { Answer } from "../types.ts";
import type { Said, SettingChange } from "./replay-types.ts";

/** Measured, not made from inputs. */
const TIMES = new Set(["timings", "latencyMs"]);
/** Places that are named. */
const PLACES = 20;

/** What an answer says, as far as a reader sees a difference. */
export function saidBy({ status, sentences, citations }: Pick<Answer, "status" | "sentences" | "citations">): Said {
  return {
    status,
    sentences: sentences.map(({ text }) => text),
    citations: citations.map(({ original, quote }) => ({ path: original.path, quote })),
  };
}

export function sameSaid(a: Said, b: Said): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Places where two answers differ in their JSON, byte for byte; the times that they took are left out. */
export function differingPlaces(stored: Answer, again: Answer): string[] {
  const [one, other] = [withoutTimes(stored), withoutTimes(again)];
  if (JSON.stringify(one) === JSON.stringify(other)) return [];
  const places = [...new Set([...differing(one, other, ""), ...(sameKeys(one, other) ? [] : ["order of keys"])])];
  return places.slice(0, PLACES);
}

function withoutTimes(answer: Answer): object {
  return Object.fromEntries(Object.entries(answer).filter(([name]) => !TIMES.has(name)));
}

function sameKeys(one: object, other: object): boolean {
  return JSON.stringify(Object.keys(one)) === JSON.stringify(Object.keys(other));
}

function differing(one: unknown, other: unknown, at: string): string[] {
  if (JSON.stringify(one) === JSON.stringify(other)) return [];
  const isTree = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
  if (!isTree(one) || !isTree(other)) return [at];
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].flatMap((key) =>
    differing(one[key], other[key], at === "" ? key : `${at}.${key}`),
  );
}

/** Settings of then that are others now, each with its place and both values. */
export function settingChanges(before: RecordedSettings, after: RecordedSettings): SettingChange[] {
  const [one, other] = [before, after].map(({ software, checks, encoder, pack, profile, threshold }) =>
    JSON.parse(JSON.stringify({ software, checks, encoder, pack, profile, threshold })),
  );
  return differing(one, other, "").map((setting) => ({ setting, before: shown(one, setting), after: shown(other, setting) }));
}

/** Characters of a value that is shown. */
const SHOWN = 120;

function shown(tree: unknown, place: string): string {
  let value = tree;
  for (const step of place.split("."))
    value = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[step] : undefined;
  const text = value === undefined ? "(none)" : JSON.stringify(value);
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`;
}
