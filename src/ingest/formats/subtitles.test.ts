import { describe, expect, test } from "vitest";
import { labelOriginal } from "../../text/original-place.ts";
import { parseFirst, placeOf } from "../testing/first-document.ts";
import { faultsOf } from "../testing/soundness.ts";

const VTT = `WEBVTT - Council

NOTE not spoken

STYLE
::cue { color: red }

1
00:12:31.000 --> 00:12:33.500 align:start
<v Ann Bell>The ferry stops
at <i>nine</i> &amp; ten.

00:12:34.000 --> 00:12:36.000
<v Ann Bell>It costs five.</v>

00:12:36.500 --> 00:12:38.000
<v Bo>Why <00:12:37.000>five?

01:00:00.000 --> 01:00:02.000
Later on.
`;

describe("subtitles", () => {
  test("are paragraphs by speaker and pause, without markup and sounds", () => {
    const document = parseFirst("talk.vtt", VTT);
    expect(document.text).toBe("Ann Bell: The ferry stops at nine & ten. It costs five.\n\nBo: Why five?\n\nLater on.");
    expect(faultsOf(document, VTT)).toEqual([]);
  });

  test("give a quote its time and speaker, and its offsets", () => {
    const document = parseFirst("talk.vtt", VTT);
    expect(labelOriginal(placeOf(document, "It costs five."))).toBe("Ann Bell at 00:12:34");
    expect(labelOriginal(placeOf(document, "Ann Bell: The ferry"))).toBe("Ann Bell at 00:12:31");
    expect(labelOriginal(placeOf(document, "Later on."))).toBe("at 01:00:00");
    const { start, end, speaker } = placeOf(document, "five?");
    expect([VTT.slice(start, end), speaker]).toEqual(["five?", "Bo"]);
  });

  test("of SubRip may have any line end, no hours, tags and positions", () => {
    const source =
      "1\r\n00:00:01,000 --> 00:00:02,500\r\n{\\an8}<font color=red>Mind</font> the gap,\r\n\r\n2\r\n0:3,0 --> 0:4,0\r\nplease.\r\n";
    const document = parseFirst("a.srt", source);
    expect(document.text).toBe("Mind the gap, please.");
    expect(document.reading.format).toBe("srt");
  });

  test("without times are rejected; a header alone is an empty document", () => {
    expect(() => parseFirst("a.srt", "Only words.\n")).toThrow(/no line has times/);
    expect(parseFirst("a.vtt", "\ufeffWEBVTT\n").text).toBe("");
  });
});
