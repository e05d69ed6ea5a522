import { describe, expect, it } from "vitest";
import { readRankingWeights } from "../src/ranking/features.ts";
import type { Answer } from "../src/shared/types.ts";
import { libraryForAll } from "./support/engine.ts";
import { nearSpelledAsked } from "./support/near-spelled.ts";
import { part } from "./support/trials.ts";

const ASKED = {
  nature: (word: string) => `How many days are samples of ${word} kept?`,
  law: (word: string) => `What does a filing about ${word} cost?`,
  house: (word: string) => `How many minutes does a lesson about ${word} take?`,
  body: (word: string) => `After how many days do patients with a finding of ${word} return?`,
  devices: (word: string) => `What does a spare ${word} cost?`,
  places: (word: string) => `How many desks does the ${word} office have?`,
};
const SAID = {
  nature: (word: string, n: number) => `# Samples of ${word}\n\nSamples of ${word} are kept for ${n} days in the laboratory.\n`,
  law: (word: string, n: number) => `# Filing about ${word}\n\nA filing about ${word} costs ${n} dollars at the court.\n`,
  house: (word: string, n: number) => `# Lesson about ${word}\n\nA lesson about ${word} takes ${n} minutes in the school.\n`,
  body: (word: string, n: number) => `# Finding of ${word}\n\nPatients with a finding of ${word} return to the ward after ${n} days.\n`,
  devices: (word: string, n: number) => `# Spare ${word}\n\nA spare ${word} costs ${n} crowns at the depot.\n`,
  places: (word: string, n: number) => `# The ${word} office\n\nThe ${word} office has ${n} desks and opens at nine.\n`,
};

/** Swaps two letters, as in a typing error. */
function mistyped(word: string): string {
  const at = Math.floor(word.length / 2);
  return `${word.slice(0, at - 1)}${word[at]}${word[at - 1]}${word.slice(at + 1)}`;
}

/** Pairs answered without a warning: a plural, which is right, and derived words, where a warning would be noise. */
const OPEN: ReadonlySet<string> = new Set([
  "propanal",
  ...["pyrites", "notarial", "escheator", "chiseler", "legate"],
  ...["rectified", "analogy", "parametrize"],
]);

const library = libraryForAll({
  documents: Object.fromEntries(nearSpelledAsked.map(({ domain, one }, i) => [`${domain}-${i}.md`, SAID[domain](one, 100 + i)])),
  // The bundled threshold. A refusal passes the test.
  settings: { answer_from: readRankingWeights().threshold.minimum },
});

/** Pairs to ask. The documents of all pairs are always present. */
const asked = part(nearSpelledAsked, 24);

/** The warning must name this word, not another word of the question. */
const says = (answer: Answer, word: string) =>
  answer.warnings.some(
    ({ code, message }) => ["read_as", "not_named", "not_held"].includes(code) && message.toLowerCase().includes(`"${word.toLowerCase()}"`),
  );
const quotes = (answer: Answer, word: string) => answer.sentences.some(({ text }) => new RegExp(`\\b${word}\\b`).test(text));

describe("a word missing from the documents that resembles one of theirs", () => {
  it(`is not answered from the similar word without a warning, cached or new, in ${asked.length} pairs of six fields`, async ({
    annotate,
  }) => {
    expect(nearSpelledAsked.length).toBeGreaterThanOrEqual(200);
    const count = { answered: 0, stored: 0, said: 0, refused: 0 };
    const wrong: string[] = [];
    for (const { domain, one, other } of asked) {
      const known = await library.ask(ASKED[domain](one));
      if (quotes(known, one)) count.answered++;
      const answer = await library.ask(ASKED[domain](other));
      if (answer.cacheMode !== "miss") count.stored++;
      if (answer.refusal !== null) count.refused++;
      else if (says(answer, other)) count.said++;
      if (quotes(answer, one) && !quotes(answer, other) && !says(answer, other) && !OPEN.has(other))
        wrong.push(`${one} for ${other} (${answer.cacheMode})`);
    }
    await annotate(JSON.stringify(count));
    expect(wrong).toEqual([]);
    expect(count.answered).toBeGreaterThan(asked.length / 2);
  }, 600_000);

  it("is answered with a warning when it is a typing error", async ({ annotate }) => {
    const slips = asked.filter(({ one }) => one.length >= 7 && mistyped(one) !== one).filter((_, i) => i % 3 === 0);
    const count = { asked: slips.length, answered: 0 };
    const unsaid: string[] = [];
    const ask = async ({ domain, one }: (typeof nearSpelledAsked)[number]) => {
      const answer = await library.ask(ASKED[domain](mistyped(one)));
      if (!quotes(answer, one)) return;
      count.answered++;
      if (!says(answer, mistyped(one))) unsaid.push(mistyped(one));
    };
    for (const slip of slips) await ask(slip);
    await annotate(JSON.stringify(count));
    expect(unsaid).toEqual([]);
    expect(count.answered).toBeGreaterThan(slips.length / 2);
  }, 600_000);
});
