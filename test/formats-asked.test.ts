import { describe, expect, it } from "vitest";
import { docxOf, wordParagraph } from "../src/ingest/testing/made-files.ts";
import { answerLines } from "../src/writing/render.ts";
import { libraryForAll } from "./support/engine.ts";

const level = (n: number, text: string) =>
  `<w:lvl w:ilvl="${n}"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="${text}"/></w:lvl>`;
const MULTILEVEL = `<w:numbering XMLNS><w:abstractNum w:abstractNumId="0">${level(0, "%1.")}${level(1, "%1.%2")}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`;
const numbered = (n: number) => `<w:pPr><w:numPr><w:ilvl w:val="${n}"/><w:numId w:val="1"/></w:numPr></w:pPr>`;

const mail = (subject: string, text: string) =>
  `From: Ana <ana@example.org>\nSubject: ${subject}\nDate: Mon, 04 May 2026 09:00:00 +0000\nMIME-Version: 1.0\nContent-Type: multipart/alternative; boundary=XX\n\n--XX\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\n${Buffer.from(text).toString("base64")}\n--XX--\n`;

/** Documents by path, and the questions to each with a part of the lines that answer it. */
const CASES: readonly { readonly path: string; readonly source: string | Uint8Array; readonly asked: Readonly<Record<string, string>> }[] =
  [
    {
      path: "feeding.csv",
      source: "sep=;\r\nAnimal;Food per day;Keeper\r\nOtter;1.2 kg of fish;Marek\r\nTapir;9 kg of leaves;Ines\r\nLynx;2 kg of meat;Jo\r\n",
      asked: { "How much food does the tapir get per day?": "Tapir | 9 kg of leaves" },
    },
    {
      path: "instruments.csv",
      source:
        "Report,,\nQuarter 2,,\nInstrument,Deposit,Loan period\nCello,200 pounds,12 weeks\nOboe,120 pounds,8 weeks\nHarp,400 pounds,20 weeks\n",
      asked: { "What is the deposit for the oboe?": "Oboe | 120 pounds" },
    },
    {
      path: "sluice.md",
      source:
        "# Opening the sluice\n\n1. Close the upper paddle.\n1. Check that the chamber is empty.\n1. Open the lower paddle by a quarter.\n1. Wait until the gauge reads 2 bar.\n1. Open the gate.\n",
      asked: { "What is step 4 of opening the sluice?": "4. Wait until the gauge reads 2 bar." },
    },
    {
      path: "allotments.html",
      source:
        "<!doctype html><title>Allotments</title><h1>Allotment rules</h1><ol type=a start=3><li>Bonfires are forbidden in summer.</li><li>Hoses must be returned by 8 pm.</li><li value=7>Bees need the consent of the neighbours.</li></ol>",
      asked: { "What does allotment rule (g) say?": "g. Bees need the consent of the neighbours." },
    },
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
      asked: { "What does clause 2.3 say?": "2.3 The tenant reports a leak within 3 days." },
    },
    {
      path: "by-laws.md",
      source:
        "# By-laws\n\n## 5. Elections\n\n(a) The treasurer is elected for two years.\n\n(b) A candidate needs the support of six members.\n\n## 6. Meetings\n\n(a) Meetings are held in March.\n\n(b) The quorum is fifteen members.\n",
      asked: { "What does section 5(b) say?": "(b) A candidate needs the support of six members." },
    },
    {
      path: "museum.md",
      source:
        "# Museum\n\nDogs are admitted to all halls.* Photography is allowed without flash.**\n\nThe museum opens at 9 am.\n\n\\* Guide dogs only.\n\n\\*\\* Except in the map room.\n",
      asked: { "Are dogs admitted to the halls of the museum?": "\n* Guide dogs only." },
    },
    {
      path: "pool.txt",
      source: "POOL PRICES\n\nChildren swim free of charge.† Adults pay 6 euros.\n\nThe pool opens at 7 am.\n\n† Until the age of 5.\n",
      asked: { "Do children swim free of charge?": "\n† Until the age of 5." },
    },
    {
      path: "bridge.html",
      source:
        '<!doctype html><title>Bridge toll</title><h1>Bridge toll</h1><p>Bicycles cross the bridge free.<sup><a href="#fn1">1</a></sup></p><p>The bridge closes at noon.</p><h2>Notes</h2><ol><li id="fn1">Only outside July and August.</li></ol>',
      asked: { "Do bicycles cross the bridge free?": "\n[1] Only outside July and August." },
    },
    {
      path: "visa.md",
      source:
        "# Visa fees\n\n| Visa | Fee |\n| --- | --- |\n| Student | 50 francs (see note 3) |\n| Work | 120 francs |\n\n## Notes\n\n1. Fees are paid in cash.\n2. Photos must be recent.\n3. The fee is waived for orphans.\n",
      asked: { "What is the fee of the student visa?": "\n3. The fee is waived for orphans." },
    },
    {
      path: "boats.md",
      source: `# Boats\n\n${["Rowing boat", "Pedal boat", "Canoe"].map((boat, i) => `## ${boat}\n\n| Time | Price |\n| --- | --- |\n| Hour | ${5 + 2 * i} zloty |\n| Day | ${20 + 8 * i} zloty |\n`).join("\n")}`,
      asked: { "How much is a canoe for an hour?": "Canoe\nHour | 9 zloty" },
    },
    {
      path: "saunas.csv",
      source: "Time,Price\nSmoke sauna,\nHour,5 crowns\nDay,20 crowns\nSteam sauna,\nHour,7 crowns\nDay,28 crowns\n",
      asked: { "How much is the steam sauna for an hour?": "Steam sauna\nHour | 7 crowns" },
    },
    {
      path: "choir.eml",
      source: mail(
        "Choir room",
        "The choir now meets in room 12.\n\n-----Original Message-----\nFrom: Ben <ben@example.org>\nSent: Monday, 2 February 2026 10:00\nTo: All\nSubject: Choir room\n\nThe choir meets in room 7.\n",
      ),
      asked: { "In which room does the choir meet?": "The choir now meets in room 12." },
    },
    {
      path: "offices.md",
      source: "# Oﬃces\n\nThe eﬃciency bonus of the oﬃces is 400 crowns.\n\nMr Đorđević runs the boiler room.\n",
      asked: {
        "How much is the efficiency bonus of the offices?": "The eﬃciency bonus of the oﬃces is 400 crowns.",
        "What does Dordevic run?": "Mr Đorđević runs the boiler room.",
      },
    },
    {
      path: "tanks.md",
      source: "# Tanks\n\nThe H₂O tank holds 90 litres.\n\nThe CO₂ tank holds 40 litres.\n\nThe 𝗿𝗲𝗻𝘁𝗮𝗹 𝗳𝗲𝗲 for a tank is 75 crowns.\n",
      asked: {
        "How much does the H2O tank hold?": "The H₂O tank holds 90 litres.",
        "What is the rental fee for a tank?": "𝗿𝗲𝗻𝘁𝗮𝗹 𝗳𝗲𝗲 for a tank is 75",
      },
    },
  ];

describe("a question to a document of each format", () => {
  // Ingested once: no test changes the store.
  const library = libraryForAll({ documents: Object.fromEntries(CASES.map(({ path, source }) => [path, source])) });

  it.each(["What does clause 4.1 say?", "What is step 7 of opening the sluice?", "What does section 5(d) say?"])(
    "names a part that no document has: %s",
    async (question) => {
      expect((await library.ask(question)).status).toBe("insufficient_context");
    },
  );

  it("puts the newest of mails that quote each other first, each with its own date", async () => {
    const { citations } = await library.ask("In which room does the choir meet?");
    expect(citations.map(({ quote, asOf }) => [quote, asOf])).toEqual([
      ["The choir now meets in room 12.", "2026-05-04"],
      ["The choir meets in room 7.", "2026-02-02"],
    ]);
  });

  const asked = CASES.flatMap(({ path, asked }) => Object.entries(asked).map(([question, quote]) => [path, question, quote] as const));
  it.each(asked)("%s: %s", async (_, question, quote) => {
    const answer = await library.ask(question);
    expect(answer.status).toBe("ok");
    const lines = answerLines(answer).map(({ label, text }) => (label === null ? text : `${label}\n${text}`));
    expect(lines.join("\n")).toContain(quote);
  });
});
