import type { Ask } from "./ask.ts";
import { drawOf } from "./random.ts";

/** Share of questions also asked about a similar entity, where one is found. */
const TWIN_SHARE = 0.3;

/** A name or number in a question. */
export interface Named {
  readonly text: string;
  readonly at: number;
  readonly type: "name" | "year" | "number";
}

const NAME = /(?<![.?!:]\s)(?<=\S\s)(?:[A-Z][\p{L}'’.-]*|[A-Z]{2,}\d*)(?:\s(?:of\s|de\s|the\s)?[A-Z][\p{L}'’-]*){0,4}/gu;
const NUMBER = /(?<![\p{L}\d.,])\d[\d,]*(?:\.\d+)?(?![\p{L}\d])/gu;
/** Words that are capitalised by convention and are not names. */
const NO_NAMES = /^(?:I|I'm|The|A|An|In|On|At|Who|What|When|Where|Which|Why|How|Is|Are|Was|Were|Do|Does|Did)$/;

/** Finds names after the first word, and numbers. */
export function namedIn(text: string): Named[] {
  const names = [...text.matchAll(NAME)]
    .filter(([name]) => name.length > 2 && !NO_NAMES.test(name))
    .map((match): Named => ({ text: match[0].replace(/[.'’-]+$/, ""), at: match.index, type: "name" }));
  const numbers = [...text.matchAll(NUMBER)].map(
    (match): Named => ({
      text: match[0].replace(/,$/, ""),
      at: match.index,
      type: /^(?:1[5-9]|20)\d\d$/.test(match[0]) ? "year" : "number",
    }),
  );
  return [...names, ...numbers];
}

/** Names in the questions of a set, by shape, from which similar names are drawn. */
export class NamePool {
  private readonly byShape = new Map<string, { name: string; group: string }[]>();

  constructor(asks: readonly Ask[]) {
    const seen = new Set<string>();
    for (const { question, group } of asks) {
      for (const { text, type } of namedIn(question)) {
        if (type !== "name" || seen.has(text)) continue;
        seen.add(text);
        for (const shape of shapesOf(text)) this.byShape.set(shape, [...(this.byShape.get(shape) ?? []), { name: text, group }]);
      }
    }
  }

  /** Returns a name of another document that shares a word or the shape with this one; `null`: none. */
  near(name: string, group: string, seed: string): string | null {
    for (const shape of shapesOf(name)) {
      const others = (this.byShape.get(shape) ?? []).filter((one) => one.name !== name && (one.group !== group || shape.startsWith("w:")));
      const open = others.filter((one) => !one.name.includes(name) && !name.includes(one.name));
      if (open.length > 0) return (open[Math.floor(drawOf(`near ${seed}`) * open.length)] as (typeof open)[number]).name;
    }
    return null;
  }
}

/** Returns keys of similarity, the closest first: a common word, then the number of words and the capitalisation. */
function shapesOf(name: string): string[] {
  const words = name.split(/\s+/);
  const shared = words.length > 1 ? words.filter((word) => word.length > 3).map((word) => `w:${word}`) : [];
  return [...shared, `s:${words.length}:${/^[A-Z\d]+$/.test(name) ? "caps" : "title"}`];
}

/** Returns a nearby number in the same format. */
export function nearNumber({ text, type }: Named, seed: string): string {
  const value = Number(text.replaceAll(",", ""));
  const draw = drawOf(`number ${seed}`);
  if (type === "year") return String(value + (draw < 0.5 ? -1 : 1) * (1 + Math.floor(drawOf(`step ${seed}`) * 9)));
  const decimals = text.split(".")[1]?.length ?? 0;
  const near =
    value < 20 && decimals === 0 ? value + 1 + Math.floor(draw * 4) : value * (draw < 0.5 ? 0.8 : 1.25) + (decimals === 0 ? 1 : 0);
  const written = near.toFixed(decimals);
  return text.includes(",") ? Number(written).toLocaleString("en-US", { minimumFractionDigits: decimals }) : written;
}

/**
 * Makes unanswerable questions by replacing a name or number with a similar one that no answering passage contains. The original occurs in
 * the passage, so that the replacement decides.
 */
export function twinsOf(asks: readonly Ask[], textOf: (key: string) => string): Ask[] {
  const pool = new NamePool(asks);
  return asks.flatMap((ask): Ask[] => {
    const seed = `${ask.set} ${ask.question} ${ask.scope}`;
    if (drawOf(`twin ${seed}`) >= TWIN_SHARE) return [];
    const passages = ask.known.filter(({ answers }) => answers).map(({ key }) => textOf(key));
    for (const named of namedIn(ask.question)) {
      if (!passages.some((text) => text.includes(named.text))) continue;
      const twin = named.type === "name" ? pool.near(named.text, ask.group, seed) : nearNumber(named, seed);
      if (twin === null || passages.some((text) => text.toLowerCase().includes(twin.toLowerCase()))) continue;
      const question = ask.question.slice(0, named.at) + twin + ask.question.slice(named.at + named.text.length);
      const known = ask.known.filter(({ answers }) => answers).map((one) => ({ ...one, answers: false, spans: [] }));
      return [{ ...ask, question, known, wordings: [], form: "twin", twin }];
    }
    return [];
  });
}
