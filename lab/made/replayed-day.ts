import { createRandom, type Random } from "../../src/grading/metrics.ts";
import { sha256Hex } from "../../src/text/hash.ts";
import { mutateQuestion } from "./question-mutations.ts";

/** Relation of a question to the earlier ones of the day. */
export type AskedClass = "repeat" | "paraphrase" | "look-alike" | "new";

/** Shares of the day's questions. */
export const DAY_SHARES: Readonly<Record<AskedClass, number>> = { repeat: 0.2, paraphrase: 0.4, "look-alike": 0.25, new: 0.15 };
/** Number of questions between two edits of a document. */
export const EDIT_EVERY = 50;

export type DayStep =
  | {
      readonly type: "ask";
      readonly at: number;
      readonly question: string;
      readonly class: AskedClass;
      /** The earlier question of which this is a repeat, a paraphrase or a hard negative; `null` for a new one. */
      readonly of: string | null;
      /** Origin of the wording: `pair`, `wording`, or the kind of mutation. */
      readonly source: string;
    }
  | { readonly type: "edit"; readonly at: number; readonly document: string };

/** Sources of a day. None of them may be training data. */
export interface DaySources {
  /** Paraphrases labelled by people. */
  readonly paraphrases: readonly { readonly stored: string; readonly asked: string }[];
  /** Hard negatives labelled by people. */
  readonly lookAlikes: readonly { readonly stored: string; readonly asked: string }[];
  readonly questions: readonly string[];
  /** Ids of documents that may be edited. */
  readonly documents: readonly string[];
  /** Names that replace each other in hard negatives. */
  readonly names: readonly string[];
}

/** Frames that rephrase a question without changing its meaning; `$` is the question, `%` the question without its question mark. */
const FRAMES: readonly string[] = [
  "Hello, $",
  "Quick question: $",
  "Can you tell me this please: $",
  "$ Thanks!",
  "I was wondering, %",
  "Please help me: $",
  "My question is this. $",
  "% - does anybody know?",
  "So, % please",
  "Hi there. $ Thank you.",
];

/** Contractions and abbreviations of informal writing. */
const SHORT: readonly (readonly [RegExp, string])[] = [
  [/\bWhat is\b/gi, "whats"],
  [/\bdo not\b/gi, "dont"],
  [/\bdoes not\b/gi, "doesnt"],
  [/\bcannot\b/gi, "cant"],
  [/\bI am\b/gi, "im"],
  [/\band\b/gi, "&"],
  [/\bpercent\b/gi, "%"],
  [/\bplease\b/gi, "pls"],
  [/\bVeterans?\b/g, "vet"],
  [/\byears?\b/gi, "yrs"],
];

/**
 * Generates a day of questions; the same sources and seed give the same day. The original of a paraphrase or hard negative is asked before
 * it. When the labelled pairs run out, rules make paraphrases and mutations of earlier questions.
 * @throws RangeError if there is no question
 */
export function createReplayedDay(
  sources: DaySources,
  { questions, seed }: { readonly questions: number; readonly seed: number },
): DayStep[] {
  const random = createRandom(seed);
  const day = new Day(sources, random);
  const steps: DayStep[] = [];
  for (let at = 0; at < questions; at++) {
    if (at > 0 && at % EDIT_EVERY === 0 && sources.documents.length > 0)
      steps.push({ type: "edit", at, document: pick(sources.documents, random) });
    steps.push({ type: "ask", at, ...day.next() });
  }
  return steps;
}

type Ask = Omit<Extract<DayStep, { type: "ask" }>, "type" | "at">;

/** The questions so far. The next question is of the class furthest below its share. */
class Day {
  private readonly sources: DaySources;
  private readonly random: Random;
  private readonly fresh: string[];
  /** Questions as first asked; paraphrases and hard negatives are made only from these. */
  private readonly asked: string[] = [];
  private readonly said = new Set<string>();
  private readonly counts: Record<AskedClass, number> = { repeat: 0, paraphrase: 0, "look-alike": 0, new: 0 };
  private readonly paired: Record<"paraphrase" | "look-alike", Map<string, string[]>>;

  constructor(sources: DaySources, random: Random) {
    this.sources = sources;
    this.random = random;
    const paired = [...new Set([...sources.paraphrases, ...sources.lookAlikes].map(({ stored }) => stored))];
    const others = [...new Set(sources.questions)].filter((question) => !paired.includes(question));
    if (paired.length + others.length === 0) throw new RangeError("a day needs questions: give golden sets that hold some");
    // Questions with labelled pairs come first, so that the day uses as many of the pairs as possible.
    this.fresh = [...shuffled(paired, random), ...shuffled(others, random)];
    this.paired = { paraphrase: byStored(sources.paraphrases), "look-alike": byStored(sources.lookAlikes) };
  }

  next(): Ask {
    const total = Object.values(this.counts).reduce((sum, count) => sum + count, 0) + 1;
    const wanted = (Object.keys(DAY_SHARES) as AskedClass[]).sort(
      (a, b) => DAY_SHARES[b] * total - this.counts[b] - (DAY_SHARES[a] * total - this.counts[a]),
    );
    for (const kind of this.asked.length === 0 ? (["new"] as const) : wanted) {
      const made = this.make(kind);
      if (made === null) continue;
      this.counts[kind]++;
      this.said.add(made.question.toLowerCase());
      if (kind === "new") this.asked.push(made.question);
      return { ...made, class: kind };
    }
    // Every source is exhausted, but a repeat is always possible.
    const question = pick(this.asked, this.random);
    this.counts.repeat++;
    return { question, class: "repeat", of: question, source: "repeat" };
  }

  private make(kind: AskedClass): Omit<Ask, "class"> | null {
    switch (kind) {
      case "repeat": {
        const question = pick(this.asked, this.random);
        return { question, of: question, source: "repeat" };
      }
      case "new": {
        const question = this.fresh.find((one) => !this.said.has(one.toLowerCase()));
        return question === undefined ? null : { question, of: null, source: "question" };
      }
      case "paraphrase":
      case "look-alike":
        return this.fromPair(kind) ?? this.byRule(kind);
      default:
        return kind satisfies never;
    }
  }

  private fromPair(kind: "paraphrase" | "look-alike"): Omit<Ask, "class"> | null {
    for (const of of this.asked) {
      const found = this.paired[kind].get(of)?.find((one) => !this.said.has(one.toLowerCase()));
      if (found !== undefined) return { question: found, of, source: "pair" };
    }
    return null;
  }

  private byRule(kind: "paraphrase" | "look-alike"): Omit<Ask, "class"> | null {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const of = pick(this.asked, this.random);
      const made = kind === "paraphrase" ? reword(of, this.random) : this.lookAlike(of);
      if (made !== null && !this.said.has(made.text.toLowerCase())) return { question: made.text, of, source: made.source };
    }
    return null;
  }

  private lookAlike(of: string): { text: string; source: string } | null {
    const made = mutateQuestion(of, this.sources.names, this.random);
    const one = made[Math.floor(this.random() * made.length)];
    return one === undefined ? null : { text: one.text, source: one.kind };
  }
}

/** Attempts to make a question that was not asked before. */
const ATTEMPTS = 60;

/** Puts the question into a neutral frame, randomly with abbreviations and in lower case. */
function reword(question: string, random: Random): { text: string; source: string } | null {
  const bare = question.replace(/\s*\?+\s*$/, "");
  const short = random() < 0.5 ? SHORT.reduce((text, [pattern, by]) => text.replaceAll(pattern, by), bare) : bare;
  const ends = short === bare && bare.length + 1 === question.length ? question : `${short}?`;
  const framed = pick(FRAMES, random)
    .replace("$", () => ends)
    .replace("%", () => short);
  const text = random() < 0.5 ? framed.toLowerCase() : framed;
  return text.length > MAX_CHARACTERS ? null : { text, source: "wording" };
}

const MAX_CHARACTERS = 500;

function byStored(pairs: readonly { readonly stored: string; readonly asked: string }[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { stored, asked } of pairs) found.set(stored, [...(found.get(stored) ?? []), asked]);
  return found;
}

function pick<T>(list: readonly T[], random: Random): T {
  return list[Math.floor(random() * list.length)] as T;
}

function shuffled(list: readonly string[], random: Random): string[] {
  const salt = String(random());
  return [...list].sort((a, b) => (sha256Hex(`${salt}|${a}`) < sha256Hex(`${salt}|${b}`) ? -1 : 1));
}
