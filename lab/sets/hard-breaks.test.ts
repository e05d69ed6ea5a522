import { expect, it } from "vitest";
import { parseMarkdown } from "../../src/ingest/formats/markdown.ts";
import { withHardBreaks } from "./hard-breaks.ts";

const ROWS = "Harbour tides, feet above datum, spring and neap\nOuter mole 12.4 9.1\nFish quay 11.8 8.7\nSlipway 10.2 7.9";

it("makes the line breaks hard that part rows, and no others", () => {
  const source = `---\ntitle: Tides\nurl: x\nd: y\n---\n\n${ROWS}\n\nBoats lie at the fish quay.\nThey pay.\n`;
  const broken = withHardBreaks(source);
  expect(broken).toBe(source.replace("neap\n", "neap  \n").replace("9.1\n", "9.1  \n").replace("8.7\n", "8.7  \n"));
  expect(parseMarkdown(broken, "x").text).toBe(parseMarkdown(source, "x").text);
});

it("leaves the lines of an item as they are: they are one", () => {
  const source = `- Tides\n  ${ROWS.replaceAll("\n", "\n  ")}\n\n  ${ROWS}\n`;
  expect(withHardBreaks(source)).toBe(source);
});
