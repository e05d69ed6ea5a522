import { describe, expect, it } from "vitest";
import { openLibrary } from "./support/engine.ts";

/** OpenAI-compatible endpoint of a small real model, such as SmolLM2-135M-Instruct behind `node-llama-cpp`. */
const url = process.env.SOURCEBOUND_TEST_MODEL_URL;

const DOCUMENTS = {
  "lending.md":
    "# Lending\n\nBooks are lent for three weeks. A renewal adds two weeks. Films are lent for seven days and cannot be renewed.\n",
  "fees.md": "# Fees\n\nA late book costs 20 cents a day. A lost card is replaced for 4 euros. Students pay no membership fee.\n",
};
const QUESTIONS = ["How long are films lent?", "What does a lost card cost?"];
const PROFILES = ["sourcebound", "seven-layer", "spark", "vg-rag", "validator", "book"];
/** What small models add to an answer and no reader may see. */
const RESIDUE = /<\|?\/?[a-z_|]+>|\[\[|[[(]\d+[\])]|†|^\W*(?:sure|source)s?\W*$|\|/i;

describe.skipIf(url === undefined)("a small real model (set SOURCEBOUND_TEST_MODEL_URL to its endpoint to run this)", () => {
  it.each(PROFILES)(
    "writes under %s nothing that a reader should not see, and never loses an answer",
    async (profile) => {
      const model = { base_url: url, small: "small", timeout_ms: 120_000, retries: 0, reply_tokens: 120 };
      const library = await openLibrary({ documents: DOCUMENTS, settings: { model, cache: { enabled: false } } });
      try {
        for (const question of QUESTIONS) {
          const { sentences, citations, refusal, checks } = await library.ask(question, { profile });
          for (const sentence of sentences) {
            expect(sentence.text).not.toMatch(RESIDUE);
            expect(sentence.text.endsWith("?")).toBe(false);
            for (const n of sentence.citations) expect(citations.map((citation) => citation.n)).toContain(n);
          }
          expect(new Set(sentences.map(({ text }) => text)).size).toBe(sentences.length);
          expect(checks.filter(({ verdict, sentence }) => verdict === "fail" && sentence !== null)).toEqual([]);
          expect(sentences.length > 0 || refusal !== null).toBe(true);
        }
      } finally {
        await library.close();
      }
    },
    600_000,
  );
});
