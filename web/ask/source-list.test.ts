import fc from "fast-check";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import type { WireCitation } from "../../src/client/index.ts";
import type { OriginalPlace } from "../../src/shared/types.ts";
import { sampleAnswer, sampleCitation, sampleNearMiss, sampleRefusal } from "../../src/testing/answers.ts";
import { answerToWire } from "../../src/wire/index.ts";
import { copiedText } from "./answer-actions.tsx";
import RefusalView from "./refusal-view.tsx";
import { markQuote, PassageView } from "./source-list.tsx";

const QUOTE = "The lamp is lit at dusk.";
const passage = { title: "The keeper", url: null, asOf: null, headingPath: [], path: "keeper.epub", context: QUOTE };
const inArchive = { start: 1231, end: 1255, part: "OEBPS/c1.xhtml" };
const textOf = (html: string) => html.replaceAll(/<[^>]+>/g, "");

function citing(place: Partial<OriginalPlace>) {
  const cited = sampleCitation(1, passage, QUOTE);
  const citation = { ...cited, original: { ...cited.original, ...place } };
  return answerToWire(sampleAnswer({ question: "q", sentences: [{ text: QUOTE, citations: [1] }], citations: [citation] }));
}

describe("a place in a file", () => {
  it("names the part of an archive that its offsets refer to: at a source, a nearest passage and in copied text", () => {
    const answer = citing(inArchive);
    const citation = answer.citations[0] as WireCitation;
    const shown = renderToStaticMarkup(createElement(PassageView, { citation, onBack: () => {}, onRead: () => {} }));
    expect(textOf(shown)).toContain("keeper.epub, characters 1,231–1,255 of OEBPS/c1.xhtml");
    expect(copiedText(answer)).toMatch(/keeper\.epub, OEBPS\/c1\.xhtml$/);

    const miss = sampleNearMiss("The keeper");
    const { refusal } = answerToWire({
      ...sampleAnswer({ question: "q", sentences: [] }),
      refusal: sampleRefusal({ nearest: [{ ...miss, original: { ...miss.original, path: "keeper.epub", ...inArchive } }] }),
    });
    if (refusal === null) throw new Error("no refusal");
    const refused = renderToStaticMarkup(createElement(RefusalView, { number: 1, refusal, scope: { domain: "d", tenant: null } }));
    expect(textOf(refused)).toContain("keeper.epub, characters 1,231–1,255 of OEBPS/c1.xhtml");
  });

  it("names only the file if it is no archive", () => {
    const answer = citing({ path: "keeper.md" });
    expect(copiedText(answer)).toMatch(/ keeper\.md$/);
  });
});

describe("markQuote", () => {
  it("splits the passage at the cited place, not at the first similar text", () => {
    expect(markQuote({ context: "a b a b", quote: "a b", quote_start: 4 })).toEqual({ before: "a b ", quote: "a b", after: "" });
  });

  it.each([
    ["another place", { context: "abc", quote: "bc", quote_start: 0 }],
    ["a negative place", { context: "abc", quote: "c", quote_start: -1 }],
    ["a place beyond the end", { context: "abc", quote: "c", quote_start: 9 }],
    ["an empty quote", { context: "abc", quote: "", quote_start: 1 }],
  ])("highlights nothing at %s", (_name, citation) => expect(markQuote(citation)).toBeNull());

  it("returns the whole passage in three pieces", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        fc.string({ unit: "binary", minLength: 1 }),
        fc.string({ unit: "binary" }),
        (before, quote, after) => {
          expect(markQuote({ context: before + quote + after, quote, quote_start: before.length })).toEqual({ before, quote, after });
        },
      ),
    );
  });
});
