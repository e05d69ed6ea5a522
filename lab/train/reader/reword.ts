import type { Ask } from "./ask.ts";
import { drawOf, pick } from "./random.ts";

/** Share of questions that get a second wording. */
const REWORDED_SHARE = 0.36;

/** Neutral text around a question. `{q}`: the question, `{l}`: in lower case without its question mark. */
const STORIES = [
  "My mother asked me this and I did not know. {q}",
  "Quick question for a friend of mine: {l}",
  "I have been reading about this for a while and still can't tell, {l}?",
  "Hi, hope someone can help. {q} Thanks!",
  "sorry if this was asked before but {l}",
  "I need this for some papers at home. {q}",
  "{q} Asking for my uncle, he wants to be sure.",
  "We talked about it at dinner yesterday and nobody was certain. {q}",
  "ok so {l}, does anyone know",
  "Someone at work told me two different things. {q}",
];

/** Words omitted from a keyword query: question words and function words. */
const LEFT_OUT = new Set(
  "a an the of in on at to for from by with and or is are was were be been do does did has have had will would can could should what which who whom whose when where why how that this these those it its there i you he she they we my your his her their our".split(
    " ",
  ),
);

/** Makes further wordings of questions with the same labels: misspelt, lower case, keywords, or with a story. */
export function rewordings(asks: readonly Ask[]): Ask[] {
  return asks.flatMap((ask) => {
    const name = `${ask.set} ${ask.question} ${ask.scope}`;
    if (drawOf(`reword ${name}`) >= REWORDED_SHARE) return [];
    const form = pick(["misspelt", "lower", "keywords", "story"] as const, `form ${name}`);
    const question = reword(ask.question, form, name);
    return question === ask.question || question.length < 4 ? [] : [{ ...ask, question, form }];
  });
}

/** Rephrases one question; the same seed gives the same result. */
export function reword(question: string, form: "misspelt" | "lower" | "keywords" | "story", seed: string): string {
  switch (form) {
    case "misspelt":
      return misspell(question, seed);
    case "lower":
      return lowered(question);
    case "keywords":
      return keywordsOf(question);
    case "story":
      return pick(STORIES, `story ${seed}`)
        .replace("{q}", () => question)
        .replace("{l}", () => lowered(question));
  }
}

function lowered(question: string): string {
  return question.toLowerCase().replace(/[?.\s]+$/, "");
}

function keywordsOf(question: string): string {
  const words = lowered(question).split(/\s+/);
  const kept = words.filter((word) => !LEFT_OUT.has(word.replaceAll(/[^a-z]/g, "")));
  return kept.length < 2 ? lowered(question) : kept.join(" ");
}

const KEYS = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];

/** Makes one typo in about a third of the longer words, at least one. */
function misspell(question: string, seed: string): string {
  const places = [...question.matchAll(/[A-Za-z]{4,}/g)];
  const sure = Math.floor(drawOf(`sure ${seed}`) * places.length);
  let written = "";
  let at = 0;
  for (const [i, match] of places.entries()) {
    if (i !== sure && drawOf(`slip ${i} ${seed}`) >= 0.3) continue;
    written += question.slice(at, match.index) + slip(match[0], `${i} ${seed}`);
    at = match.index + match[0].length;
  }
  const all = written + question.slice(at);
  return drawOf(`case ${seed}`) < 0.5 ? all.toLowerCase() : all;
}

/** Swaps, omits or doubles a letter, or replaces it by its neighbour on the keyboard. */
function slip(word: string, seed: string): string {
  const at = 1 + Math.floor(drawOf(`at ${seed}`) * (word.length - 2));
  const letter = word[at] as string;
  const [before, after] = [word.slice(0, at), word.slice(at + 1)];
  switch (Math.floor(drawOf(`kind ${seed}`) * 4)) {
    case 0:
      return before + (after[0] ?? "") + letter + after.slice(1);
    case 1:
      return before + after;
    case 2:
      return before + letter + letter + after;
    default: {
      const row = KEYS.find((keys) => keys.includes(letter.toLowerCase())) ?? "asdfghjkl";
      const place = row.indexOf(letter.toLowerCase());
      return before + (row[place + 1] ?? row[place - 1] ?? letter) + after;
    }
  }
}
