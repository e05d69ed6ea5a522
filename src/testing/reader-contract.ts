import { describe, expect, it } from "vitest";
import { ModelError } from "../errors.ts";
import type { Reader, ReadRequest } from "../reader/reader.ts";

export interface ReaderUnderTest {
  readonly reader: Reader;
  close(): Promise<void>;
}

const passage = "Visitors pay $4 a day. 🅿️ Résidents du quartier, on the other hand, park free of charge from 18:00 to 8:00.";
const answers = { task: "answers", question: "What do visitors pay?", head: "Parking › Fees", passage } as const;
const claims = { task: "claims", claim: "Visitors park free of charge.", evidence: passage } as const;
const pairs = { task: "pairs", a: "What do visitors pay?", b: "How much is parking for a visitor?" } as const;

const withoutSpaces = (text: string) => text.replaceAll(/\s/g, "").replaceAll("\u{fe0f}", "");

/** What every reader does, whatever computes it. */
export function describeReaderContract(name: string, open: () => Promise<ReaderUnderTest>): void {
  const withReader = (use: (reader: Reader) => Promise<void>) => async () => {
    const under = await open();
    try {
      await use(under.reader);
    } finally {
      await under.close();
    }
  };

  describe(`${name}: reader`, () => {
    it(
      "gives one reading per request, in their order, each of its kind",
      withReader(async (reader) => {
        expect(await reader.read([])).toEqual([]);
        const [first, second, third] = await reader.read([pairs, answers, claims]);
        expect(Number.isFinite(first.same)).toBe(true);
        expect(Number.isFinite(second.answer)).toBe(true);
        expect(third.supported + third.contradicted + third.notFound).toBeCloseTo(1, 6);
      }),
    );

    it(
      "says of every token where it stands in the passage: in order, without overlap, no character cut in two",
      withReader(async (reader) => {
        const [{ tokens }] = await reader.read([answers]);
        const { starts, ends, startLogits, endLogits, relevantLogits } = tokens;
        for (const numbers of [ends, startLogits, endLogits, relevantLogits]) expect(numbers).toHaveLength(starts.length);
        for (const logits of [startLogits, endLogits, relevantLogits]) expect([...logits].every(Number.isFinite)).toBe(true);
        const read = Array.from(starts, (start, i) => passage.slice(start, ends[i]));
        expect(read.every((text) => text.isWellFormed() && text.trim() !== "")).toBe(true);
        // Everything but spaces and what joins characters is covered, once.
        expect(withoutSpaces(read.join(""))).toBe(withoutSpaces(passage));
      }),
    );

    it(
      "reads a text the same in any company",
      withReader(async (reader) => {
        const together = await reader.read([pairs, answers, claims, { ...answers, passage: passage.repeat(2) }]);
        expect((await reader.read([answers]))[0]).toEqual(together[1]);
        expect((await reader.read([claims, claims])).map((reading) => reading)).toEqual([together[2], together[2]]);
      }),
    );

    it(
      "reads a passage of any length, every token of it",
      withReader(async (reader) => {
        const long = passage.repeat(12);
        const [{ answer, tokens }] = await reader.read([{ ...answers, passage: long }]);
        expect(Number.isFinite(answer)).toBe(true);
        expect([...tokens.startLogits].every(Number.isFinite)).toBe(true);
        expect(tokens.ends.at(-1)).toBe(long.length);
      }),
    );

    it(
      "reads empty, blank and hostile text",
      withReader(async (reader) => {
        const texts = [
          "",
          " \n\t",
          "\u0000\ufffd\ud800",
          "[SEP] [CLS] [MASK]",
          "a\u0301".repeat(150),
          "x".repeat(5000),
          "漢字🅰️ж".repeat(20),
        ];
        const requests = texts.flatMap((text): ReadRequest[] => [
          { task: "answers", question: text, head: text, passage: text },
          { task: "claims", claim: text, evidence: text, head: text },
          { task: "pairs", a: text, b: text },
        ]);
        for (const reading of await reader.read(requests)) {
          if (reading.task === "answers") expect(Number.isFinite(reading.answer)).toBe(true);
          else if (reading.task === "pairs") expect(Number.isFinite(reading.same)).toBe(true);
          else expect(reading.supported + reading.contradicted + reading.notFound).toBeCloseTo(1, 6);
        }
      }),
    );

    it(
      "throws the signal's reason when it is cancelled, before and while it reads",
      withReader(async (reader) => {
        const reason = new Error("nobody waits");
        await expect(reader.read([pairs], AbortSignal.abort(reason))).rejects.toBe(reason);
        const stop = new AbortController();
        const many = Array.from({ length: 40 }, (_, i) => ({ ...answers, passage: `${i} ${passage.repeat(20)}` }));
        const reading = reader.read(many, stop.signal);
        setTimeout(() => stop.abort(reason), 5);
        await expect(reading).rejects.toBe(reason);
        expect(await reader.read([pairs])).toHaveLength(1);
      }),
    );

    it(
      "has a name and a hash, and reads nothing after it was closed",
      withReader(async (reader) => {
        expect(reader.weights.name).not.toBe("");
        expect(reader.weights.hash).toMatch(/^[0-9a-f]{64}$/);
        await reader.close();
        await expect(reader.read([{ ...pairs, a: "Asked after the end" }])).rejects.toBeInstanceOf(ModelError);
        await reader.close();
      }),
    );
  });
}
