import pc from "picocolors";
import { describe, expect, it } from "vitest";
import { renderAnswer } from "../src/cli/render.ts";
import { fakeMatcher } from "../src/testing/fake-matcher.ts";
import { answerToWire } from "../src/wire/index.ts";
import { openInTest } from "./support/engine.ts";
import { CARD } from "./support/library.ts";

describe("a corrected word", () => {
  it("is reported in the answer, its JSON and the terminal, with the literal question to ask instead", async () => {
    const library = await openInTest();
    const answer = await library.ask("How much does a libary card cost?");
    const [warning] = answer.warnings.filter(({ code }) => code === "read_as");
    expect(warning?.message).toContain('"libary"');
    expect(warning?.askInstead).toBe('How much does a "libary" card cost?');
    expect(answerToWire(answer).warnings).toContainEqual({ code: "read_as", message: warning?.message, ask_instead: warning?.askInstead });
    expect(renderAnswer(answer, pc.createColors(false))).toContain(warning?.message);
    const literal = await library.ask(warning?.askInstead ?? "");
    expect(literal.warnings.map(({ code }) => code)).not.toContain("read_as");
  });

  it("is matched to stored questions as corrected, and reported beside their answers; the original question is stored and shown", async () => {
    const matcher = fakeMatcher((asked, stored) => asked === "What does a library card cost?" && stored === CARD);
    const library = await openInTest({ matcher });
    const first = await library.ask(CARD);
    const answer = await library.ask("What does a libary card cost?");
    expect(answer).toMatchObject({ cacheMode: "semantic", cached: { question: CARD }, question: "What does a libary card cost?" });
    expect(answer.sentences).toEqual(first.sentences);
    expect(answer.warnings.map(({ code }) => code)).toEqual(["read_as"]);
    expect(matcher.calls[0]?.asked.written).toBe("What does a libary card cost?");
    const { engine } = library;
    expect((await engine.store.review.questions([answer.id])).get(answer.id)).toBe("What does a libary card cost?");
    expect(await engine.store.cache.count()).toBe(1);
  });

  it("is matched to no stored question if it may be another word or a name", async () => {
    const matcher = fakeMatcher(() => true);
    const library = await openInTest({ matcher });
    await library.ask(CARD);
    const answer = await library.ask("What does the card of Libary cost?");
    expect(answer.warnings.map(({ code }) => code)).toContain("read_as");
    expect([answer.cacheMode, matcher.calls]).toEqual(["miss", []]);
    expect((await library.engine.explainCache("What does a libary card cost?")).cacheMode).toBe("semantic");
  });
});
