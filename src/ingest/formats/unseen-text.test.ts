import { describe, expect, test } from "vitest";
import { expectLinearTime } from "../../testing/growth.ts";
import { parseHtml } from "./html.ts";
import { parseMarkdown } from "./markdown.ts";

const SECRET = "The fee is waived for everybody.";
const page = (body: string, head = "") => `<html><head>${head}</head><body><p>The fee is 5 dollars.</p>${body}</body></html>`;
const LINKED = `<link rel="stylesheet" href="a.css">`;
const style = (rules: string) => `<style>${rules}</style>`;

describe("text that a page's styles hide is left out, and said", () => {
  test.each([
    ["not displayed", `<p style="display: none">${SECRET}</p>`, ""],
    ["not displayed, with weight", `<p style="DISPLAY:NONE !important">${SECRET}</p>`, ""],
    ["invisible", `<div style="visibility:hidden"><p>${SECRET}</p></div>`, ""],
    ["see-through", `<p style="opacity:0.0">${SECRET}</p>`, ""],
    ["without size", `<p><span style="font-size:0">${SECRET}</span></p>`, ""],
    ["of one pixel", `<p style="font-size:1px">${SECRET}</p>`, ""],
    ["in a box without height", `<div style="height:0;overflow:hidden">${SECRET}</div>`, ""],
    ["left of the page", `<p style="position:absolute; left:-9999px">${SECRET}</p>`, ""],
    ["indented off the page", `<p style="text-indent:-999em">${SECRET}</p>`, ""],
    ["cut away", `<p style="position:absolute;clip:rect(0, 0, 0, 0)">${SECRET}</p>`, ""],
    ["white on the white page", `<p style="color:#FFF">${SECRET}</p>`, ""],
    ["by a class", `<p class="a b">${SECRET}</p>`, style("p.b { display:none }")],
    ["by an id, after a comment", `<p id="x">${SECRET}</p>`, style("/* } */ #x, #y { visibility : hidden }")],
    ["by the attribute", `<div hidden>${SECRET}</div>`, ""],
    ["and never closed", `<div style="display:none">${SECRET}`, ""],
  ])("%s", (_, body, head) => {
    for (const parsed of [parseHtml(page(body, head), "a"), parseMarkdown(`${head}\n\nThe fee is 5 dollars.\n\n${body}\n`, "a")]) {
      expect(parsed.text).toBe("The fee is 5 dollars.");
      expect(parsed.notices).toEqual([
        { code: "hidden_text", message: `${SECRET.length} characters that the page does not show were left out` },
      ]);
    }
  });
});

describe("text that readers see, or can open, is kept", () => {
  test.each([
    ["white on a coloured box", `<div style="background:#003"><p style="color:white">${SECRET}</p></div>`, ""],
    ["white in a cell with a ground", `<table><tr bgcolor="navy"><td style="color:#fff">${SECRET}</td></tr></table>`, ""],
    ["white where another file's style may colour the ground", `<div class="banner" style="color:#fff">${SECRET}</div>`, LINKED],
    ["behind a control", `<button aria-controls="x">Fees</button><div id="x" style="display:none">${SECRET}</div>`, ""],
    ["behind a link of the page", `<a href="#x">Fees</a><div id="x" style="display:none">${SECRET}</div>`, ""],
    ["hidden in print alone", `<p class="screen">${SECRET}</p>`, style("@media print { .screen { display:none } }")],
    ["shown again by a later rule", `<p class="tab open">${SECRET}</p>`, style(".tab{display:none} .tab.open{display:block}")],
    ["hidden only inside something else", `<p class="b">${SECRET}</p>`, style(".menu .b { display:none }")],
    ["a little indented", `<p style="text-indent:-2em;font-size:9pt">${SECRET}</p>`, ""],
  ])("%s", (_, body, head) => {
    const parsed = parseHtml(page(body, head), "a");
    expect(parsed.text).toContain(SECRET);
    expect(parsed.notices).toEqual([]);
  });
});

test.each(["/*", "p{", "a,", ".a{display:none}"])("reading %j over and over as styles takes linear time", (unit) =>
  expectLinearTime(
    90_000,
    (n) => `<style>${unit.repeat(n)}</style>`,
    (page) => parseHtml(page, "a"),
  ),
);

test("finding what styles hide takes linear time", () =>
  expectLinearTime(
    5_000,
    (n) => `<style>.a{display:none}</style>${'<p class="a">'.repeat(n)}`,
    (page) => parseHtml(page, "a"),
  ));
