import pc from "picocolors";
import { afterEach, describe, expect, it } from "vitest";
import { renderAnswer } from "../src/cli/render.ts";
import { answerToWire } from "../src/wire/index.ts";
import { type Library, openLibrary } from "./support/engine.ts";

let library: Library | null = null;
afterEach(async () => {
  await library?.close();
  library = null;
});

describe("a word that was read as another one", () => {
  it("is said in the answer, its JSON and on the command line, with the literal question one step away", async () => {
    library = await openLibrary();
    const answer = await library.ask("How much does a libary card cost?");
    const [warning] = answer.warnings.filter(({ code }) => code === "read_as");
    expect(warning?.message).toContain('"libary"');
    expect(warning?.askInstead).toBe('How much does a "libary" card cost?');
    expect(answerToWire(answer).warnings).toContainEqual({ code: "read_as", message: warning?.message, ask_instead: warning?.askInstead });
    expect(renderAnswer(answer, pc.createColors(false))).toContain(warning?.message);
    const literal = await library.ask(warning?.askInstead ?? "");
    expect(literal.warnings.map(({ code }) => code)).not.toContain("read_as");
  });
});
