import { describe, expect, it } from "vitest";
import { parseHtml } from "./html.ts";
import { parseMarkdown } from "./markdown.ts";

const textOf = (html: string) => parseHtml(`<main>${html}</main>`, "page").text;

describe("notes of a web page", () => {
  it("follow the block of their first reference, without the link back", () => {
    const page =
      '<ul><li>Kites fly here.<a href="#n1"><sup>1</sup></a></li><li>Balls too.</li></ul><p>So do drones.<sup><a href="#n2">†</a></sup></p><hr>' +
      '<p id="n2">Not at night.</p><ol><li id="n1"><p>Below 50 m. <a href="#r1">↩</a></p></li></ol>';
    expect(textOf(page)).toBe("Kites fly here.[1]\n\n[1] Below 50 m.\n\nBalls too.\n\nSo do drones.[†]\n\n[†] Not at night.");
  });

  it("follow the table that cites them", () => {
    const page =
      '<table><tr><th>Kite<th>Fee<tr><td>Box<td>3 euros<a href="#n">[1]</a><tr><td>Delta<td>4 euros</table><p>More.</p><p id="n">In May.</p>';
    expect(textOf(page)).toBe("Kite | Fee\nBox | 3 euros[1]\nDelta | 4 euros\n\n[1] In May.\n\nMore.");
  });

  it("are not targets of ordinary links, of headings or of themselves", () => {
    for (const page of [
      '<p>See rule <a href="#r">1</a>.</p><p>More.</p><p id="r">Fly low.</p>',
      '<p>See<sup><a href="#r">1</a></sup></p><p>More.</p><h2 id="r">Fly low.</h2>',
    ])
      expect(textOf(page)).toMatch(/More\.\n\nFly low\.$/);
    expect(textOf('<p id="r">Fly low.<sup><a href="#r">1</a></sup></p>')).toBe("Fly low.[1]");
  });
});

it("can be a single list item that an asterisk refers to", () => {
  expect(parseMarkdown("Kites fly here.*\n\n* Below 50 m.\n", "a").text).toBe("Kites fly here.*\n\n* Below 50 m.");
  expect(parseMarkdown("*Kites* fly here.\n\n* Below 50 m.\n", "a").text).toBe("Kites fly here.\n\nBelow 50 m.");
});
