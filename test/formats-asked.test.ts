import { describe, expect, it } from "vitest";
import { docxOf, wordParagraph, zip } from "../src/ingest/testing/made-files.ts";
import { drawingParagraph, odtOf, pptxOf, rtfOf, slideShape } from "../src/ingest/testing/made-office.ts";
import { answerLines } from "../src/writing/render.ts";
import cases from "./formats-asked.json" with { type: "json" };
import { libraryForAll } from "./support/engine.ts";

interface Case {
  readonly path: string;
  readonly source: string | Uint8Array;
  readonly asked: readonly { readonly question: string; readonly holds: string }[];
}

const level = (n: number, text: string) =>
  `<w:lvl w:ilvl="${n}"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="${text}"/></w:lvl>`;
const MULTILEVEL = `<w:numbering XMLNS><w:abstractNum w:abstractNumId="0">${level(0, "%1.")}${level(1, "%1.%2")}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`;
const numbered = (n: number) => `<w:pPr><w:numPr><w:ilvl w:val="${n}"/><w:numId w:val="1"/></w:numPr></w:pPr>`;

const mail = (subject: string, text: string) =>
  `From: Ana <ana@example.org>\nSubject: ${subject}\nDate: Mon, 04 May 2026 09:00:00 +0000\nMIME-Version: 1.0\nContent-Type: multipart/alternative; boundary=XX\n\n--XX\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\n${Buffer.from(text).toString("base64")}\n--XX--\n`;

/** Documents by path, and questions to each with parts of the expected sentences. */
const CASES: readonly Case[] = [
  ...cases,
  {
    path: "lease.docx",
    source: docxOf(
      [
        wordParagraph("Rent", numbered(0)),
        wordParagraph("The rent is 900 crowns a month.", numbered(1)),
        wordParagraph("Repairs", numbered(0)),
        wordParagraph("The landlord repairs the roof.", numbered(1)),
        wordParagraph("The tenant repairs the windows.", numbered(1)),
        wordParagraph("The tenant reports a leak within 3 days.", numbered(1)),
      ].join(""),
      { "word/numbering.xml": MULTILEVEL },
    ),
    asked: [{ question: "What does clause 2.3 say?", holds: "2.3 The tenant reports a leak within 3 days." }],
  },
  {
    path: "choir.eml",
    source: mail(
      "Choir room",
      "The choir now meets in room 12.\n\n-----Original Message-----\nFrom: Ben <ben@example.org>\nSent: Monday, 2 February 2026 10:00\nTo: All\nSubject: Choir room\n\nThe choir meets in room 7.\n",
    ),
    asked: [{ question: "In which room does the choir meet?", holds: "The choir now meets in room 12." }],
  },
  {
    path: "sauna.pptx",
    source: pptxOf([
      {
        shapes: slideShape(drawingParagraph("The sauna"), "title") + slideShape(drawingParagraph("The sauna holds eleven guests."), "body"),
      },
      {
        shapes: slideShape(drawingParagraph("Prices"), "title"),
        notes: slideShape(drawingParagraph("A towel is lent for three crowns."), "body"),
      },
    ]),
    asked: [
      { question: "How many guests does the sauna hold?", holds: "The sauna holds eleven guests." },
      { question: "For how much is a towel lent?", holds: "A towel is lent for three crowns." },
    ],
  },
  {
    path: "sledge.vtt",
    source: "WEBVTT\n\n00:12:31.000 --> 00:12:33.000\n<v Ann Bell>The sledge race starts\nat the frozen mill.\n",
    asked: [{ question: "Where does the sledge race start?", holds: "The sledge race starts at the frozen mill." }],
  },
  {
    path: "bees.zip",
    source: zip({ "hives/bees.rtf": rtfOf("\\pard\\s1 Bees\\par\\pard The hives are opened in \\'93April\\'94 by the beekeeper.\\par") }),
    asked: [{ question: "When are the hives opened?", holds: "The hives are opened in “April” by the beekeeper." }],
  },
  {
    path: "looms.odt",
    source: odtOf('<text:h text:outline-level="1">Looms</text:h><text:p>The widest loom weaves two metres of linen.</text:p>'),
    asked: [{ question: "How wide does the widest loom weave?", holds: "The widest loom weaves two metres of linen." }],
  },
];

describe("a question to a document of each format", () => {
  // Ingested once: no test changes the store.
  const library = libraryForAll({ documents: Object.fromEntries(CASES.map(({ path, source }) => [path, source])) });

  it.each(["What does clause 4.1 say?", "What is step 7 of opening the sluice?", "What does section 5(d) say?"])(
    "names a value that no document contains: %s",
    async (question) => {
      expect((await library.ask(question)).status).toBe("insufficient_context");
    },
  );

  it("ranks the newest of several quoted mails first, each with its own date", async () => {
    const { citations } = await library.ask("In which room does the choir meet?");
    expect(citations.map(({ quote, asOf }) => [quote, asOf])).toEqual([
      ["The choir now meets in room 12.", "2026-05-04"],
      ["The choir meets in room 7.", "2026-02-02"],
    ]);
  });

  const asked = CASES.flatMap(({ path, asked }) => asked.map(({ question, holds }) => [path, question, holds] as const));
  it.each(asked)("%s: %s", async (_, question, holds) => {
    const answer = await library.ask(question);
    expect(answer.status).toBe("ok");
    const lines = answerLines(answer).map(({ label, text }) => (label === null ? text : `${label}\n${text}`));
    expect(lines.join("\n")).toContain(holds);
  });
});
