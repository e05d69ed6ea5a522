import { expect, it } from "vitest";
import { splitEarlierMails } from "./mail.ts";

it("separates mails below a header, each with its date", () => {
  const header = (name: string, date: string) => `From: ${name}\nSent: ${date}\nTo: All\nSubject: Kiln`;
  const text = `The kiln is cold.\n\n________________________________\n${header("Bo", "3 March 2026 10:00")}\n\nIt is warm.\n\n-----Original Message-----\n${header("Cy", "March 1, 2026")}\n\nIs it hot?\n`;
  expect(splitEarlierMails(text)).toEqual({
    own: "The kiln is cold.",
    earlier: [
      { text: `${header("Bo", "3 March 2026 10:00")}\n\n\nIt is warm.`, date: "2026-03-03" },
      { text: `${header("Cy", "March 1, 2026")}\n\n\nIs it hot?\n`, date: "2026-03-01" },
    ],
  });
});

it("separates quoted lines below a sentence with a date, and keeps the text after them", () => {
  const text =
    "No.\n\nOn 2 Feb 2026 at 10:00, Bo\n<bo@example.org> wrote:\n> Is it hot?\n>\n> On 1 Feb 2026, Cy wrote:\n> > It is.\n\nAna\n";
  expect(splitEarlierMails(text)).toEqual({
    own: "No.\n\n\nAna\n",
    earlier: [
      { text: "On 2 Feb 2026 at 10:00, Bo\n<bo@example.org> wrote:\n\nIs it hot?\n", date: "2026-02-02" },
      { text: "On 1 Feb 2026, Cy wrote:\n\nIt is.", date: "2026-02-01" },
    ],
  });
});

it("keeps quotations without a date, and lists of labels in the mail's own text", () => {
  for (const text of [
    "No.\n\nOn Monday Bo wrote:\n> Is it hot?\n",
    "Berth: A1\nFee: 30 euros\nFree: 3 March 2026\n",
    "Details:\n\nBerth: A1\nFee: 30 euros\nFree: 3 March 2026\n",
  ])
    expect(splitEarlierMails(text)).toEqual({ own: text, earlier: [] });
});
