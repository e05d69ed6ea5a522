import { describe, expect, it } from "vitest";
import type { Reranker, RerankPassage } from "../models/reranker.ts";
import { ModelError } from "../shared/errors.ts";

export interface RerankerUnderTest {
  readonly reranker: Reranker;
  close(): Promise<void>;
}

const question = "How is tinnitus rated?";
const passages: RerankPassage[] = [
  { title: "Burial flags", section: "Who may ask", text: "A flag drapes the casket. The next of kin may ask for one." },
  { title: "Hearing", section: "Tinnitus", text: "Tinnitus is rated at 10 percent, whether it is heard in one ear or in both." },
  { title: "Pensions", section: "", text: "A pension is paid every month, on the first day." },
];

/**
 * Defines the tests that every `Reranker` must pass.
 * @param open returns `null` for `broken` if the reranker uses no endpoint and so cannot fail
 */
export function describeRerankerContract(name: string, open: (behaviour: "working" | "broken") => Promise<RerankerUnderTest | null>): void {
  const withReranker = (behaviour: "working" | "broken", use: (reranker: Reranker) => Promise<void>) => async () => {
    const under = await open(behaviour);
    if (under === null) return;
    try {
      await use(under.reranker);
    } finally {
      await under.close();
    }
  };

  describe(`${name}: reranker`, () => {
    it(
      "returns one score from 0 to 1 per passage, in order, highest for the one that answers",
      withReranker("working", async (reranker) => {
        const scores = await reranker.rerank(question, passages);
        expect(scores).toHaveLength(passages.length);
        for (const score of scores) {
          expect(score).toBeGreaterThanOrEqual(0);
          expect(score).toBeLessThanOrEqual(1);
        }
        expect(Math.max(...scores.map((score) => score ?? -1))).toBe(scores[1]);
      }),
    );

    it(
      "ranks the same passages in the same way in any order",
      withReranker("working", async (reranker) => {
        const scores = await reranker.rerank(question, passages);
        const reversed = await reranker.rerank(question, [...passages].reverse());
        for (const [i, score] of scores.entries()) expect(reversed[passages.length - 1 - i]).toBeCloseTo(score ?? -1, 4);
      }),
    );

    it(
      "returns null, not 0, for a passage that cannot be scored, and scores the others",
      withReranker("working", async (reranker) => {
        expect(await reranker.rerank(question, [])).toEqual([]);
        const [blank, read] = await reranker.rerank(question, [{ title: "", section: "", text: " \n " }, passages[1] as RerankPassage]);
        expect(blank).toBeNull();
        expect(read).not.toBeNull();
        expect(await reranker.rerank(" ", passages)).toEqual([null, null, null]);
      }),
    );

    it(
      "accepts any text",
      withReranker("working", async (reranker) => {
        const odd = ["😀😀", "שלום עולם", "word ".repeat(3000), "\u0000\uD800"].map((text) => ({
          title: text.slice(0, 20),
          section: "",
          text,
        }));
        for (const score of await reranker.rerank("😀 tinnitus שלום", odd)) {
          if (score !== null) expect(score >= 0 && score <= 1).toBe(true);
        }
      }),
    );

    it(
      "throws the signal's reason when it is cancelled",
      withReranker("working", async (reranker) => {
        const reason = new Error("reader left");
        await expect(reranker.rerank(question, passages, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
      }),
    );

    it(
      "throws a ModelError when it cannot be reached",
      withReranker("broken", async (reranker) => {
        await expect(reranker.rerank(question, passages)).rejects.toBeInstanceOf(ModelError);
      }),
    );

    it(
      "has an id",
      withReranker("working", async ({ id }) => {
        expect(id).not.toBe("");
      }),
    );
  });
}
