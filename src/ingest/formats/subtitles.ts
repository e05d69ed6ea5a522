import { decodeHTMLStrict } from "entities";
import { IngestError } from "../../shared/errors.ts";
import { BlockWriter } from "../block-writer.ts";
import { linesOf } from "../visible.ts";
import { textFormat } from "./format.ts";
import { type FormatResult, plainMetadata } from "./parsed.ts";

/** Matches the line with the start and end time of a cue (one subtitle), in WebVTT or SubRip. */
const TIMES = /^\s*((?:\d{1,3}:)?\d{1,2}:\d{1,2}[.,]\d{1,3})\s+-->\s+((?:\d{1,3}:)?\d{1,2}:\d{1,2}[.,]\d{1,3})(?:\s|$)/;
/** Matches the first line of WebVTT blocks without spoken text. */
const SILENT = /^(?:NOTE|STYLE|REGION)(?:\s|$)/;
const HEADER_ONLY = /^\ufeff?(?:WEBVTT[^\n]*)?\s*$/;
/** Matches markup in a cue (one subtitle): a tag, a SubRip position such as `{\an8}`, or an entity. */
const MARKUP = /<\/?([a-z]*)[^<>]*>|\{\\[^{}]*\}|&#?\w{1,32};/gi;
/** Minimum pause before a new paragraph, in milliseconds. Speakers seldom pause that long within a thought. */
const PAUSE_MS = 2_000;

/** Reads subtitles and transcripts. A quote is located by its time and speaker. */
export const vttFormat = textFormat("vtt", [".vtt"], 1, (source, name) => [readCues(source, name)]);
export const srtFormat = textFormat("srt", [".srt"], 1, (source, name) => [readCues(source, name)]);

/** Writes the spoken text. A new paragraph begins when the speaker changes, or after a long pause. */
function readCues(source: string, name: string): FormatResult {
  const writer = new BlockWriter(source);
  const cues: [number, number, string | null][] = [];
  let state: "outside" | "spoken" | "silent" = "outside";
  let [speaker, last]: [string | null, string | null] = [null, null];
  let ended = Number.NEGATIVE_INFINITY;
  for (const { start, end, text } of linesOf(source, 0, source.length)) {
    const [, from, to] = TIMES.exec(text) ?? [];
    if (from !== undefined && to !== undefined && state !== "silent") {
      const begun = millisecondsOf(from);
      if (begun - ended >= PAUSE_MS) writer.paragraph();
      ended = millisecondsOf(to);
      cues.push([Math.min(source.length, end + 1), begun, null]);
      [state, speaker] = ["spoken", null];
    } else if (text.trim() === "") state = "outside";
    else if (state === "outside" && SILENT.test(text.replace("\ufeff", ""))) state = "silent";
    else if (state === "spoken") writeLine(start, Math.min(end + 1, source.length));
  }
  const message =
    "the file contains no subtitles: no line has times such as 00:01:02.000 --> 00:01:04.000. Check the file, or rename it to its real format";
  if (cues.length === 0 && !HEADER_ONLY.test(source)) throw new IngestError("wrong_content", message);
  return { ...writer.finish(), metadata: plainMetadata(name), places: { type: "times", cues } };

  function writeLine(start: number, end: number): void {
    const line = source.slice(start, end);
    let at = 0;
    for (const { 0: found, 1: tag = "", index } of line.matchAll(MARKUP)) {
      writer.text(start + at, start + index);
      at = index + found.length;
      const range = [start + index, start + at] as const;
      if (found.startsWith("&")) writer.opaque(decodeHTMLStrict(found), ...range);
      else if (tag.toLowerCase() === "v") speak(decodeHTMLStrict(/^<v[^\s<>]*\s+([^<>]*)>$/i.exec(found)?.[1] ?? "").trim(), range);
    }
    writer.text(start + at, end);
  }

  /** Begins the text of a speaker. If the speaker has changed, writes the name first, mapped to the speaker's tag. */
  function speak(named: string, [start, end]: readonly [number, number]): void {
    if (named === "") return;
    const cue = cues.at(-1);
    if (cue !== undefined && speaker === null) cue[2] = named;
    else cues.push([start, cue?.[1] ?? 0, named]);
    if (named !== last) {
      writer.paragraph();
      // Map the space after the name to the last character of the tag, so that no source character is mapped twice.
      writer.opaque(`${named}:`, start, end - 1);
      writer.opaque(" ", end - 1, end);
    }
    [speaker, last] = [named, named];
  }
}

function millisecondsOf(time: string): number {
  const [seconds = 0, minutes = 0, hours = 0] = time.replace(",", ".").split(":").reverse().map(Number);
  return Math.round((hours * 3_600 + minutes * 60 + seconds) * 1_000);
}
