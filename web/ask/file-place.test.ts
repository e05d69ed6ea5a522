import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import type { WireCitation } from "../../src/client/index.ts";
import { sampleAnswer, sampleCitation, sampleNearMiss, sampleRefusal } from "../../src/testing/answers.ts";
import type { OriginalPlace } from "../../src/types.ts";
import { answerToWire } from "../../src/wire/index.ts";
import { copiedText } from "./answer-actions.tsx";
import { RefusalView } from "./refusal-view.tsx";
import { PassageView } from "./source-list.tsx";

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
  it("names the part of an archive from whose beginning the characters are counted: at a source, a near miss and in what is copied", () => {
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

  it("names the file alone where it is no archive", () => {
    const answer = citing({ path: "keeper.md" });
    expect(copiedText(answer)).toMatch(/ keeper\.md$/);
  });
});
