import { IngestError } from "../../../shared/errors.ts";
import type { TextRange } from "../../../shared/types.ts";
import { describeImage } from "../described-figures.ts";
import type { Format } from "../format.ts";
import { closing, type MarkupEvent, opening } from "../markup.ts";
import { oneLine, plainMetadata, statedDay, titleOf, topLines } from "../parsed.ts";
import { leftOutNotices, unseenNotices } from "../unseen-text.ts";
import { writeMarkup } from "./extracted-text.ts";
import { RtfBlocks } from "./rtf-blocks.ts";
import { decodeRtfBytes, encodingOfCodePage, isKnownCharset, RTF_CHARACTERS, type RtfToken, readRtfTokens } from "./rtf-tokens.ts";

/** Reads RTF: headings, lists, tables and footnotes. Offsets count bytes, because each byte is decoded as one character. */
export const rtfFormat: Format = {
  name: "rtf",
  extensions: [".rtf"],
  version: 3,
  read({ bytes, name }) {
    const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
    const reader = new RtfReader();
    for (const token of readRtfTokens(source)) reader.take(token);
    const { events, title, margins, notices } = reader.finish(source.length);
    const written = writeMarkup(source, events);
    const metadata = plainMetadata(titleOf(written) ?? (title || name), { asOf: statedDay([...topLines(written), ...margins]) });
    return [{ ...written, metadata, encoding: "windows-1252", notices }];
  },
};

/** What happens to the text in a group. */
type Destination = "body" | "skip" | "number" | "note" | "fonts" | "styles" | "title" | "margin" | "property-name" | "property";

/** Formatting and destination of an RTF group (`{…}`). Groups inside it inherit both. */
interface GroupState {
  destination: Destination;
  readonly start: number;
  /** Text of the group that is collected instead of written. Inner groups do not inherit it. */
  text: string;
  /** True if the group begins with `\*`, so that it is skipped if its first control word is unknown. Inner groups do not inherit this. */
  isOptional: boolean;
  isBold: boolean;
  isHidden: boolean;
  /** True if the letters are too small to be seen. */
  isTiny: boolean;
  isStruck: boolean;
  raised: "sup" | "sub" | null;
  font: number;
  /** Number of characters after each `\u` escape that repeat the escaped character for programs without Unicode. */
  fallback: number;
  style: number | null;
  /** Level of a heading, from 1; `null` if only the style can state it. */
  heading: number | null;
  isInTable: boolean;
  /** Level of a list item from 1. */
  listLevel: number;
}

const PLAIN = { isBold: false, isHidden: false, isTiny: false, isStruck: false, raised: null } as const;
const PLAIN_PARAGRAPH = { style: null, heading: null, isInTable: false, listLevel: 1 } as const;

const DESTINATIONS: ReadonlyMap<string, Destination> = new Map(
  Object.entries({
    ...{ fonts: "fonttbl", styles: "stylesheet", title: "title", number: "listtext pntext", note: "footnote" },
    ...{ "property-name": "sn", property: "sv", body: "shptxt ud shppict" },
    margin: "header headerl headerr headerf footer footerl footerr footerf",
    skip:
      "colortbl info pict nonshppict fldinst annotation atnid atnauthor atndate atnref atnparent shprslt upr tc tcn xe rxe txe private " +
      "bkmkstart bkmkend filetbl revtbl ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn listtable listoverridetable author operator",
  } satisfies Record<Destination, string>).flatMap(([destination, words]) =>
    words.split(" ").map((word): [string, Destination] => [word, destination as Destination]),
  ),
);
/** Control words whose groups are read even inside a skipped group. */
const READ_IN_SKIPPED: ReadonlySet<string> = new Set(["title", "sn", "sv", "shptxt", "ud"]);

/** Maximum number of open groups. Programs write fewer than 100. */
const MAX_GROUPS = 2_000;
/** Maximum size of letters that are too small to be seen, in half points. */
const SMALLEST_HALF_POINTS = 2;
type SetProperty = (state: GroupState, value: number | null, isOn: boolean) => Partial<GroupState>;
const strike: SetProperty = (_state, _value, isOn) => ({ isStruck: isOn });
const raise: SetProperty = (_state, _value, isOn) => ({ raised: isOn ? "sup" : null });
const lower: SetProperty = (_state, _value, isOn) => ({ raised: isOn ? "sub" : null });

/** Control words that only change the formatting of a group. `isOn` is false if their value is 0. */
const PROPERTIES: ReadonlyMap<string, SetProperty> = new Map(
  Object.entries<SetProperty>({
    ...{ plain: () => PLAIN, pard: () => PLAIN_PARAGRAPH, intbl: () => ({ isInTable: true }) },
    ...{ b: (_state, _value, isOn) => ({ isBold: isOn }), v: (_state, _value, isOn) => ({ isHidden: isOn }) },
    ...{ strike, striked: strike, deleted: strike, super: raise, up: raise, sub: lower, dn: lower, nosupersub: () => ({ raised: null }) },
    fs: (_state, value) => ({ isTiny: value !== null && value <= SMALLEST_HALF_POINTS }),
    f: (_state, value) => ({ font: value ?? -1 }),
    uc: (_state, value) => ({ fallback: Math.max(0, value ?? 1) }),
    s: (_state, value) => ({ style: value }),
    outlinelevel: (_state, value) => ({ heading: value !== null && value < 9 ? value + 1 : null }),
    ilvl: (_state, value) => ({ listLevel: Math.min(9, Math.max(1, (value ?? 0) + 1)) }),
  }),
);
const DESCRIPTION = "wzDescription";

/** Converts tokens in order to paragraphs, and paragraphs to blocks. */
class RtfReader {
  readonly #blocks = new RtfBlocks();
  readonly #groups: GroupState[] = [];
  #state: GroupState = { ...PLAIN, ...PLAIN_PARAGRAPH, destination: "skip", start: 0, text: "", isOptional: false, font: -1, fallback: 1 };
  #encoding: string | null = null;
  #isGuessed = false;
  readonly #charsets = new Map<number, number>();
  readonly #headings = new Map<number, number>();
  #defaultFont = -1;
  /** Number of characters to skip, because they repeat the character of the last `\u`. */
  #fallbacks = 0;
  #high: (TextRange & { readonly code: number }) | null = null;
  /** The first byte of a character of two bytes. */
  #lead: (TextRange & { readonly value: number }) | null = null;
  #propertyName = "";
  #title = "";
  readonly #margins = new Set<string>();
  readonly #leftOut = { hidden: 0, struck: 0, figures: 0 };
  #hasComments = false;
  #isEnded = false;

  take(token: RtfToken): void {
    // Some programs write zero bytes after the last group.
    if (this.#isEnded) return;
    if (token.type !== "byte" && token.type !== "text") this.#lead = null;
    if (token.type === "open") this.#open(token.start);
    else if (token.type === "close") this.#close(token.end);
    else if (token.type === "control") this.#control(token);
    else if (token.type === "text") this.#text(token);
    else if (this.#fallbacks > 0) this.#fallbacks--;
    else this.#byte(token);
  }

  /** @throws IngestError `bad_rtf` */
  finish(end: number) {
    if (!this.#isEnded) throw new IngestError("bad_rtf", "the end of the file seems to be missing: save it again as RTF");
    const margins = [...this.#margins];
    const notices = [
      ...unseenNotices({ ...this.#leftOut, figures: Math.max(0, this.#leftOut.figures) }),
      ...leftOutNotices(this.#hasComments ? ["comments in the margin"] : [], margins),
    ];
    const encoding = this.#encoding ?? "windows-1252";
    const message = `the code page of the file or the character set of a font is unknown, so the text was read as ${encoding}`;
    if (this.#isGuessed) notices.push({ code: "encoding_guessed", message });
    return { events: this.#blocks.finish(end), title: this.#title, margins, notices };
  }

  #open(start: number): void {
    if (this.#groups.length >= MAX_GROUPS)
      throw new IngestError("too_deep", `the file has more than ${MAX_GROUPS} nested groups: save it again as RTF`);
    this.#groups.push(this.#state);
    this.#state = { ...this.#state, start, text: "", isOptional: false };
    this.#fallbacks = 0;
  }

  #close(end: number): void {
    const closed = this.#state;
    const outer = this.#groups.pop();
    if (outer === undefined) return;
    this.#state = outer;
    this.#fallbacks = 0;
    this.#isEnded = this.#groups.length === 0;
    const { destination, text } = closed;
    if (destination === "note" && outer.destination !== "note") this.#blocks.endNote(end);
    if (destination === "styles") this.#nameStyle(closed);
    else if (destination === outer.destination) outer.text += text;
    else if (destination === "title") this.#title = oneLine(text);
    else if (destination === "margin" && /[\p{L}\p{N}]/u.test(text)) this.#margins.add(oneLine(text));
    else if (destination === "property-name") this.#propertyName = text.trim();
    else if (destination === "property" && this.#propertyName === DESCRIPTION && text.trim() !== "") {
      this.#leftOut.figures--;
      this.#blocks.figure({ text: describeImage(text), start: closed.start, end });
    }
  }

  /** Records the level of a heading style. Programs write the names of built-in styles in English. */
  #nameStyle({ style, heading, text }: GroupState): void {
    const [, number] = /^heading ([1-9])$/i.exec(oneLine(text.replace(/;.*$/s, ""))) ?? [];
    const level = number !== undefined ? Number(number) : /^Title;/i.test(text.trim()) ? 1 : heading;
    if (style !== null && level !== null) this.#headings.set(style, level);
  }

  #control({ word, value, start, end }: RtfToken & { type: "control" }): void {
    if (this.#fallbacks > 0 && word !== "u") {
      this.#fallbacks--;
      return;
    }
    const state = this.#state;
    const destination = DESTINATIONS.get(word) ?? (state.isOptional ? "skip" : undefined);
    const set = PROPERTIES.get(word);
    state.isOptional = word === "*";
    if (state.isOptional) return;
    if (this.#groups.length === 1 && word === "rtf") state.destination = "body";
    if (destination !== undefined) {
      if (state.destination !== "skip" || READ_IN_SKIPPED.has(word)) this.#enter(word, destination);
    } else if (set !== undefined) Object.assign(state, set(state, value, value !== 0));
    else if (word === "ansicpg") {
      this.#encoding = encodingOfCodePage(value ?? 0);
      this.#isGuessed ||= this.#encoding === null;
    } else if (word === "mac") this.#encoding ??= "macintosh";
    else if (word === "deff") this.#defaultFont = value ?? -1;
    else if (word === "fcharset" && state.destination === "fonts") this.#charsets.set(state.font, value ?? 0);
    else if (word === "u") this.#unicode(value ?? 0, { start, end });
    else if (state.destination === "body" || state.destination === "note") this.#layOut(word, { start, end });
    else if (RTF_CHARACTERS.has(word)) this.#say(RTF_CHARACTERS.get(word) ?? "", { start, end });
  }

  #enter(word: string, destination: Destination): void {
    const state = this.#state;
    if (word === "pict" && state.destination !== "skip") this.#leftOut.figures++;
    if (word === "annotation") this.#hasComments = true;
    if (destination === "note") this.#blocks.beginNote();
    if (destination === "number") this.#blocks.beginNumber();
    state.destination = destination;
  }

  /** Handles control words that end paragraphs, cells or rows, or that represent a character. */
  #layOut(word: string, range: TextRange): void {
    const { isInTable, style, heading, listLevel } = this.#state;
    const level = heading ?? (style === null ? null : (this.#headings.get(style) ?? null));
    const paragraph = { isInTable, level, listLevel };
    if (word === "par" || word === "sect" || word === "page" || word === "nestcell") this.#blocks.endParagraph(paragraph, range.end);
    else if (word === "line") this.#blocks.lineBreak(range);
    else if (word === "chftn") this.#say(this.#blocks.noteMark(), range);
    else if (RTF_CHARACTERS.has(word)) this.#say(RTF_CHARACTERS.get(word) ?? "", range);
    else this.#blocks.table(word, range.end);
  }

  #unicode(code: number, { start, end }: TextRange): void {
    const unit = code < 0 ? code + 0x10000 : code;
    this.#fallbacks = this.#state.fallback;
    const high = this.#high;
    this.#high = null;
    if (unit >= 0xd800 && unit < 0xdc00) this.#high = { code: unit, start, end };
    else if (high !== null && unit >= 0xdc00 && unit < 0xe000) this.#say(String.fromCharCode(high.code, unit), { start: high.start, end });
    else if (unit <= 0xffff) this.#say(String.fromCharCode(unit), { start, end });
  }

  #text({ text, start, end }: RtfToken & { type: "text" }): void {
    const skipped = Math.min(this.#fallbacks, text.length);
    this.#fallbacks -= skipped;
    const rest = text.slice(skipped);
    // An escaped brace is one character, but takes two bytes in the file, so the range of the whole token is used.
    const from = text.length === end - start ? start + skipped : start;
    if (rest === "") return;
    if (this.#lead === null && !/[\x80-\xff]/.test(rest)) {
      this.#say(rest, { start: from, end });
      return;
    }
    for (let i = 0; i < rest.length; i++) this.#byte({ value: rest.charCodeAt(i), start: from + i, end: from + i + 1 });
  }

  #byte({ value, start, end }: TextRange & { readonly value: number }): void {
    const charset = this.#charsets.get(this.#state.font < 0 ? this.#defaultFont : this.#state.font) ?? 0;
    // No quote contains the name of a font or style, so these names need no correct encoding.
    const isQuoted = !["fonts", "styles", "skip"].includes(this.#state.destination);
    this.#isGuessed ||= isQuoted && value >= 0x80 && !isKnownCharset(charset);
    const encoding = this.#encoding ?? "windows-1252";
    const lead = this.#lead;
    this.#lead = null;
    const text = decodeRtfBytes(lead === null ? [value] : [lead.value, value], charset, encoding);
    if (text === null) this.#lead = { value, start, end };
    else this.#say(text, { start: lead?.start ?? start, end });
  }

  #say(text: string, range: TextRange): void {
    // The second half of a surrogate pair must follow the first directly, so forget a first half.
    this.#high = null;
    const { destination, isBold, isHidden, isTiny, isStruck, raised } = this.#state;
    if (destination === "skip") return;
    if (destination !== "body" && destination !== "note" && destination !== "number") this.#state.text += text;
    else if (isHidden || isTiny) this.#leftOut.hidden += text.trim().length;
    else if (isStruck) this.#leftOut.struck += text.trim().length;
    else {
      const said: MarkupEvent = { type: "text", text, ...range };
      const wrapped = (name: string): MarkupEvent[] => [opening(name, range.start), said, closing(name, range.end)];
      this.#blocks.inline(raised !== null ? wrapped(raised) : isBold ? wrapped("b") : [said], destination === "number");
    }
  }
}
