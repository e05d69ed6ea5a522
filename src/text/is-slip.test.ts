import { expect, test } from "vitest";
import { nearSpelled } from "../../test/support/near-spelled.ts";
import { createEnglishWords } from "../reading/content-words.ts";
import { differInAffix, isSlip } from "./spelling.ts";
import { createStemmer } from "./tokens.ts";

const real = createEnglishWords().real();
const stem = createStemmer();

test.each([
  ["recieve", "receive"],
  ["definately", "definitely"],
  ["adress", "address"],
  ["refferal", "referral"],
  ["goverment", "government"],
  ["seperate", "separate"],
  ["medcine", "medicine"],
  ["perscription", "prescription"],
  ["alergic", "allergic"],
  ["instal", "install"],
  ["dependancy", "dependency"],
  ["pakage", "package"],
  ["repositry", "repository"],
  ["withdrawl", "withdrawal"],
  ["overdaft", "overdraft"],
  ["balence", "balance"],
  ["recepit", "receipt"],
  ["cancelation", "cancellation"],
  ["disabilty", "disability"],
  ["liabilty", "liability"],
  ["facilty", "facility"],
  ["fertilty", "fertility"],
  ["compatiblity", "compatibility"],
  ["availabilty", "availability"],
])("%s is a slip for %s", (written, meant) => {
  expect(isSlip(written, meant)).toBe(true);
  expect(differInAffix(written, meant, real, stem)).toBe(false);
});

/** May a word that no document holds be read as one that they do hold? */
const mayBeRead = (written: string, meant: string) =>
  !real.has(written) && isSlip(written, meant) && !differInAffix(written, meant, real, stem);

/** No list of words has them, and nothing in how they are spelled tells them from a slip: what they were read as is said. */
const UNKNOWABLE = [
  "peroneal as perineal",
  "saphira as sapphire",
  "nodenv as nodeenv",
  "nodeenv as nodenv",
  "modulo as module",
  "antinatal as antenatal",
];

test("of words spelled nearly alike, none that a list or its parts give away is read as the other", () => {
  const read = nearSpelled.flatMap(({ one, other }) => [
    ...(mayBeRead(one, other) ? [`${one} as ${other}`] : []),
    ...(mayBeRead(other, one) ? [`${other} as ${one}`] : []),
  ]);
  expect(read.filter((one) => !UNKNOWABLE.includes(one))).toEqual([]);
});
