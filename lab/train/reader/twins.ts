import type { Ask } from "./ask.ts";
import { drawOf } from "./random.ts";

/** Share of the questions that are also asked of a near twin, where one is found. */
const TWIN_SHARE = 0.3;

/** A name or number of a question, at its place. */
export interface Named {
  readonly text: string;
  readonly at: number;
  readonly type: "name" | "year" | "number";
}

const NAME = /(?<![.?!:]\s)(?<=\S\s)(?:[A-Z][\p{L}'’.-]*|[A-Z]{2,}\d*)(?:\s(?:of\s|de\s|the\s)?[A-Z][\p{L}'’-]*){0,4}/gu;
const NUMBER = /(?<![\p{L}\d.,])\d[\d,]*(?:\.\d+)?(?![\p{L}\d])/gu;
/** Capitalised by habit, and nobody's name. */
const NO_NAMES = /^(?:I|I'm|The|A|An|In|On|At|Who|What|When|Where|Which|Why|How|Is|Are|Was|Were|Do|Does|Did)$/;

/** Names behind the first word and numbers of a text. */
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

/** Names that questions of a set ask about, by group: where a near twin is drawn from. */
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

  /** A name that shares a word or the shape with this one, of another document; `null`: none. */
  near(name: string, group: string, seed: string): string | null {
    for (const shape of shapesOf(name)) {
      const others = (this.byShape.get(shape) ?? []).filter((one) => one.name !== name && (one.group !== group || shape.startsWith("w:")));
      const open = others.filter((one) => !one.name.includes(name) && !name.includes(one.name));
      if (open.length > 0) return (open[Math.floor(drawOf(`near ${seed}`) * open.length)] as (typeof open)[number]).name;
    }
    return null;
  }
}

/** From the nearest likeness to the farthest: a word in common, then the same number of words and kind of capitals. */
function shapesOf(name: string): string[] {
  const words = name.split(/\s+/);
  const shared = words.length > 1 ? words.filter((word) => word.length > 3).map((word) => `w:${word}`) : [];
  return [...shared, `s:${words.length}:${/^[A-Z\d]+$/.test(name) ? "caps" : "title"}`];
}

/** A number near this one, in the same form. */
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
 * Questions of which a name or number is exchanged for a near twin that no passage known to answer holds: what answered the first does
 * not answer these. The exchanged thing stands in the passage, so that it is what tells.
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
