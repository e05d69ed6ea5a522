import { expect, test } from "vitest";
import { readDocuments } from "../parse.ts";
import { faultsOf } from "../testing/soundness.ts";
import { blocksOf } from "./show-blocks.test-helper.ts";

async function read(body: string): Promise<string[]> {
  const [document] = await readDocuments({ path: "a.eml", bytes: Buffer.from(`Subject: Pump\nFrom: ann@example.com\n\n${body}`) });
  if (document === undefined) throw new Error("no document");
  expect(faultsOf(document)).toEqual([]);
  return blocksOf(document).slice(2);
}

test("what a mail quotes of earlier ones is a quotation, without the signs, each answer to an answer on its own", async () => {
  const body =
    "It comes on 19 March.\n\nOn Monday Bob wrote:\n> It comes on the 5th,\n> is that right?\n>\n> - a hose\n> > The offer was 390.\n>> It was 410.\nYes.\n";
  expect(await read(body)).toEqual([
    "paragraph It comes on 19 March.",
    "paragraph On Monday Bob wrote:",
    "quote It comes on the 5th, is that right?",
    "quote - a hose",
    "quote The offer was 390. It was 410.",
    "paragraph Yes.",
  ]);
});

test("a line that begins with a comparison quotes nothing; several lines, or words, do", async () => {
  expect(await read("The limits:\n>5 kg is too heavy for us.\n\n>20 kg goes by rail.")).toEqual([
    "paragraph The limits: >5 kg is too heavy for us.",
    "paragraph >20 kg goes by rail.",
  ]);
  expect(await read(">5 kg of it,\n>as ever.\n\nYes.\n\n>How much?\n\n> 5 kg")).toEqual([
    "quote 5 kg of it, as ever.",
    "paragraph Yes.",
    "quote How much?",
    "quote 5 kg",
  ]);
});

test("a sign within a line quotes nothing", async () => {
  expect(await read("a > b\nand c")).toEqual(["paragraph a > b and c"]);
});
