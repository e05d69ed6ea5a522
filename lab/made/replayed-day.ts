import { createRandom, type Random } from "../../src/grading/metrics.ts";
import { sha256Hex } from "../../src/text/hash.ts";
import { mutateQuestion } from "./question-mutations.ts";

/** What a question of the day is to what was asked before. */
export type AskedClass = "repeat" | "paraphrase" | "look-alike" | "new";

/** Shares of the day's questions. */
export const DAY_SHARES: Readonly<Record<AskedClass, number>> = { repeat: 0.2, paraphrase: 0.4, "look-alike": 0.25, new: 0.15 };
/** A document is edited after so many questions. */
export const EDIT_EVERY = 50;

/** One thing that happens. */
export type DayStep =
  | {
      readonly type: "ask";
      readonly at: number;
      readonly question: string;
      readonly class: AskedClass;
      /** The question asked before that it repeats, rewords or only looks like; `null` for a new one. */
      readonly of: string | null;
      /** Where the wording comes from: `pair`, `wording`, or the mutation that was made. */
      readonly source: string;
    }
  | { readonly type: "edit"; readonly at: number; readonly document: string };

/** What the day is made of. Nothing here may have been trained on. */
export interface DaySources {
  /** Pairs of wordings of one question, labelled by people. */
  readonly paraphrases: readonly { readonly stored: string; readonly asked: string }[];
  /** Pairs that look alike and must not share an answer. */
  readonly lookAlikes: readonly { readonly stored: string; readonly asked: string }[];
  /** Questions by themselves. */
  readonly questions: readonly string[];
  /** Ids of documents that may be edited. */
  readonly documents: readonly string[];
  /** Names of which one takes another's place in a look-alike. */
  readonly names: readonly string[];
}

/** Ways to say a whole question in other words without changing what it asks: `$` is the question as a sentence, `%` without its question mark. */
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

/** Contractions and short forms that people write. */
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
 * A day of questions as data: the same sources and seed give the same day. Before a wording or a look-alike comes the question that it is one of, as a new one;
 * once the pairs are used up, wordings and mutations are made by rule from what was asked.
 * @throws RangeError when there is nothing to ask
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

/** What was asked so far, and how many of each class: the next question is of the class that lags behind most. */
class Day {
  private readonly sources: DaySources;
  private readonly random: Random;
  private readonly fresh: string[];
  /** Questions as they were first asked; wordings and look-alikes are made of these alone. */
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
    // What people reworded comes first: the sooner it is asked, the more real wordings the day has.
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
    // Whatever runs dry, a question can be repeated.
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

/** Tries to make a question that was not asked before. */
const ATTEMPTS = 60;

/** The question in a frame that adds nothing, with or without short forms, in small letters or as it was. */
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

/** What is longer is not admitted (DESIGN.md, stage 1). */
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
