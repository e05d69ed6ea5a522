import { Parser } from "htmlparser2";
import { describe, expect, it } from "vitest";
import { sampleAnswer, sampleCitation } from "../src/testing/answers.ts";
import { sampleQuote } from "../src/testing/quotes.ts";
import { readDraft } from "../src/writing/draft.ts";
import { DraftError } from "../src/writing/prompt.ts";
import { createAnswerBuilder } from "../src/writing/quotes.ts";
import { renderAnswerHtml } from "../src/writing/render.ts";
import { hasHostileSet, readHostileTexts } from "./support/hostile-texts.ts";

const TEXTS = readHostileTexts();
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  p: [],
  sup: [],
  ol: [],
  q: [],
  a: ["href", "rel"],
  li: ["id", "value"],
};

/** Returns elements and attributes outside the allowlist, and the remaining text. */
function readHtml(html: string): { strange: string[]; text: string } {
  const strange: string[] = [];
  let text = "";
  const parser = new Parser({
    onopentag(name, attributes) {
      for (const [key, value] of Object.entries(attributes)) {
        const isKnown = ALLOWED[name]?.includes(key) ?? false;
        const isSafe = key !== "href" || /^(?:#citation-\d+$|https?:\/\/)/.test(value);
        if (!isKnown || !isSafe) strange.push(`${name} ${key}=${value}`);
      }
      if (ALLOWED[name] === undefined) strange.push(name);
    },
    ontext: (piece) => {
      text += piece;
    },
    oncomment: () => strange.push("comment"),
    onprocessinginstruction: (name) => strange.push(name),
  });
  parser.end(html);
  return { strange, text };
}

describe(`hostile texts${hasHostileSet ? "" : " (ours only: SOURCEBOUND_DATA names no folder with xss-and-naughty-strings)"}`, () => {
  it(`remain text wherever they occur in an answer (${TEXTS.length})`, () => {
    for (const text of TEXTS) {
      const passage = { title: text, url: text, asOf: text, headingPath: [text], path: text, context: text };
      const citation = sampleCitation(1, passage, text);
      const html = renderAnswerHtml(sampleAnswer({ question: text, sentences: [{ text, citations: [1] }], citations: [citation] }));
      const read = readHtml(html);
      expect(read.strange, JSON.stringify(text)).toEqual([]);
      expect(read.text, JSON.stringify(text)).toBe(`${text}[1]${text}: ${text}`);
    }
  });

  it("remain text when a model writes them, or end its draft", async () => {
    const quote = sampleQuote("Tinnitus is rated at 10 percent.");
    let shown = 0;
    for (const text of TEXTS) {
      const sheet = createAnswerBuilder();
      const stream = (async function* () {
        yield { type: "text" as const, text: `${text} [1].` };
      })();
      try {
        for await (const draft of readDraft(
          stream,
          { cite: (_text, n) => (n === 1 ? [quote] : null) },
          {
            inputTokens: null,
            outputTokens: null,
          },
        ))
          sheet.add(draft.text, draft.quotes);
      } catch (error) {
        expect(error).toBeInstanceOf(DraftError);
      }
      const { sentences, citations } = sheet;
      expect(readHtml(renderAnswerHtml(sampleAnswer({ question: "?", sentences, citations }))).strange, JSON.stringify(text)).toEqual([]);
      shown += sentences.length;
    }
    expect(shown).toBeGreaterThan(0);
  });
});
