import type { Email } from "postal-mime";
import { valuesIn } from "../../language/values.ts";
import { IngestError, messageOf } from "../../shared/errors.ts";
import type { Block } from "../../shared/types.ts";
import type { WrittenBlocks } from "../block-writer.ts";
import { describeUnread, readInnerFiles } from "./archive.ts";
import type { Format, InnerFiles } from "./format.ts";
import { parseHtml } from "./html.ts";
import { type FormatResult, joinWritten, oneLine, plainMetadata } from "./parsed.ts";
import { parseText } from "./text.ts";

/** Maximum messages in one mailbox file. */
const MAX_MESSAGES = 200_000;

/** Reads a mail: subject, sender, recipients, date and body. Offsets refer to the extracted text. */
export const emlFormat: Format = {
  name: "eml",
  extensions: [".eml"],
  version: 11,
  async read({ bytes, name, inner }) {
    const [mail, ...earlier] = await readMail(bytes, name, inner);
    if (mail === undefined) return [];
    const { entryId: _, ...own } = mail;
    return [own, ...earlier];
  },
};

/** Reads a mailbox; each message is one document. */
export const mboxFormat: Format = {
  name: "mbox",
  extensions: [".mbox", ".mbx"],
  version: 11,
  async read({ bytes, name, inner }) {
    const seen = new Map<string, number>();
    const results: FormatResult[] = [];
    for (const message of messagesOf(bytes)) {
      const [mail, ...earlier] = await readMail(message, `${name} ${results.length + 1}`, inner);
      if (mail === undefined) continue;
      const id = mail.entryId ?? String(results.length + 1);
      const times = seen.get(id) ?? 0;
      seen.set(id, times + 1);
      const entryId = times === 0 ? id : `${id}~${times + 1}`;
      results.push({ ...mail, entryId }, ...earlier.map((one) => ({ ...one, entryId: `${entryId}/${one.entryId}` })));
    }
    return results;
  },
};

/**
 * Splits a mailbox into messages. A message begins at a `From ` line after an empty line. In bodies, such a line is escaped as `>From `.
 */
function* messagesOf(bytes: Uint8Array): Generator<Uint8Array> {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const mark = Buffer.from("\nFrom ");
  let start = 0;
  for (let count = 1; start < all.length; count++) {
    if (count > MAX_MESSAGES) throw new IngestError("file_too_large", `the mailbox has more than ${MAX_MESSAGES} messages: split it`);
    let end = all.indexOf(mark, start + 1);
    while (end > 0 && !/\n\r?$/.test(all.toString("latin1", end - 2, end))) end = all.indexOf(mark, end + 1);
    const message = all.subarray(start, end < 0 ? all.length : end);
    const body = message.subarray(0, 5).toString("latin1") === "From " ? message.subarray(message.indexOf("\n") + 1) : message;
    if (body.toString("latin1", 0, 200).trim() !== "") yield withoutEscapes(body);
    if (end < 0) return;
    start = end + 1;
  }
}

/** Removes the `>` that the mailbox format adds before `From ` in a body. */
function withoutEscapes(message: Buffer): Buffer {
  if (!message.includes("\n>")) return message;
  return Buffer.from(message.toString("latin1").replace(/\n>(>*From )/g, "\n$1"), "latin1");
}

/** Returns the documents of a mail: the mail itself, earlier mails that it quotes with a date, and its attachments. */
async function readMail(bytes: Uint8Array, name: string, inner: InnerFiles): Promise<FormatResult[]> {
  const mail = await parseMail(bytes);
  const subject = oneLine(mail.subject ?? "");
  const head = headOf(mail, subject);
  const { own, earlier } = splitEarlierMails((mail.text ?? "").replaceAll("\r\n", "\n"));
  const isPlain = (mail.text ?? "").trim() !== "";
  const written = isPlain ? readPlainMail(own, name) : parseHtml(mail.html ?? "", name);
  const top = parseText(head, name);
  const joined = joinWritten([{ written: subject === "" ? top : withHeading(top) }, { written, sourceStart: head.length + 2 }]);
  const files = mail.attachments.map(({ filename, content }, i) => {
    const own = oneLine(filename ?? "").replaceAll(/[\p{Cc}/\\]/gu, "_") || `attachment-${i + 1}`;
    return { name: `attached/${own}`, bytes: typeof content === "string" ? Buffer.from(content) : new Uint8Array(content) };
  });
  const attached = await readInnerFiles(files, inner);
  const notice = { code: "attachments", message: `attachments were not read: ${describeUnread(attached.unread)}` };
  const unit = "extracted_utf16" as const;
  const result = {
    ...{ ...joined, unit, metadata: plainMetadata(subject || name, { asOf: isoDay(mail.date) }) },
    ...(mail.messageId === undefined ? {} : { entryId: mail.messageId.replace(/^<|>$/g, "") }),
    notices: [...(attached.unread.length === 0 ? [] : [notice]), ...(written.notices ?? [])],
  };
  const quoted = earlier.map(({ text, date }, i): FormatResult => {
    const metadata = plainMetadata(`${subject || name}, quoted mail of ${date}`, { asOf: date });
    return { ...readPlainMail(text, name), metadata, unit, entryId: `quoted-${i + 1}` };
  });
  return [result, ...quoted, ...attached.results];
}

/** Matches the prefix of lines quoted from earlier mails. */
const QUOTED = /^(?:>[ \t]?)+/;
/** Matches a comparison such as ">5", which begins with the same sign as quoted lines. */
const COMPARED = /^>\d/;

/**
 * Parses a plain-text mail. Lines with a `>` prefix are quoted from earlier mails and become quotations. Each change of
 * the quoting depth begins a new block.
 */
function readPlainMail(source: string, name: string): WrittenBlocks & Pick<FormatResult, "notices"> {
  const parts: { readonly depth: number; readonly lines: string[] }[] = [];
  const all = source.split("\n");
  for (const [i, line] of all.entries()) {
    const isAlone = !QUOTED.test(all[i - 1] ?? "") && !QUOTED.test(all[i + 1] ?? "");
    const signs = isAlone && COMPARED.test(line) ? "" : (QUOTED.exec(line)?.[0] ?? "");
    const depth = signs.replace(/[^>]/g, "").length;
    if (parts.at(-1)?.depth !== depth) parts.push({ depth, lines: [] });
    parts.at(-1)?.lines.push(line.slice(signs.length));
  }
  let sourceStart = 0;
  const written = parts.map(({ depth, lines }) => {
    const text = lines.join("\n");
    const part = { written: depth === 0 ? parseText(text, name) : asQuotation(parseText(text, name)), sourceStart };
    sourceStart += text.length + 1;
    return part;
  });
  return joinWritten(written);
}

function asQuotation({ text, blocks, sourceMap }: WrittenBlocks): WrittenBlocks {
  return { text, sourceMap, blocks: blocks.map(({ start, end }): Block => ({ type: "quote", level: 0, header: -1, start, end })) };
}

async function parseMail(bytes: Uint8Array): Promise<Email> {
  const { default: PostalMime } = await import("postal-mime");
  try {
    return await PostalMime.parse(bytes, { maxNestingDepth: 64, maxHeadersSize: 1024 * 1024 });
  } catch (cause) {
    throw new IngestError("bad_mail", `the mail cannot be read (${messageOf(cause)}): save it again`, {}, { cause });
  }
}

function headOf(mail: Email, subject: string): string {
  const people = (list: Email["to"] = []) => list.map(({ name, address }) => oneLine([name, address].filter(Boolean).join(" "))).join(", ");
  const head = { From: people(mail.from && [mail.from]), To: people(mail.to), Cc: people(mail.cc), Date: isoDay(mail.date) ?? "" };
  const lines = Object.entries(head).flatMap(([label, value]) => (value === "" ? [] : [`${label}: ${value}`]));
  return [...(subject === "" ? [] : [subject]), lines.join("\n")].join("\n\n");
}

/** Turns the subject line into a heading. */
function withHeading({ text, blocks, sourceMap }: WrittenBlocks): WrittenBlocks {
  return { text, sourceMap, blocks: blocks.map((block, i) => (i === 0 ? { ...block, type: "heading", level: 1 } : block)) };
}

function isoDay(date: string | undefined): string | null {
  const time = date === undefined ? Number.NaN : Date.parse(date);
  return Number.isNaN(time) ? null : new Date(time).toISOString().slice(0, 10);
}

/** A mail that another mail quotes. `text` includes the lines that state its author and date. */
interface EarlierMail {
  readonly text: string;
  /** Date of the quoted mail, ISO. */
  readonly date: string;
}

/** Matches a line with a label, as in the header of a quoted mail: "Sent: Monday, 2 February 2026 10:00". */
const LABELLED = /^[>\s]*\*?\p{L}[\p{L} -]{0,15}\*?:\*?\s+\S/u;
/** Minimum number of labelled lines in the header of a quoted mail. */
const LEAST_LABELLED = 3;
/** Matches a line of dashes, with or without words between them, above the header of a quoted mail. */
const RULE = /^[>\s]*(?:[-_]{5,}|-{3,}[^-]{1,60}-{3,})\s*$/;
const SIGN = /^>[ \t]?/;
/** Maximum number of lines of the sentence that introduces a quotation: "On …, Ann <ann@example.com> wrote:". */
const MAX_INTRODUCTION = 3;

/**
 * Separates a plain-text mail (`own`) from the earlier mails that it quotes. A quoted mail is recognised by a header of lines such as
 * "From: …", or by lines with `>` below a sentence with a date. A quotation without a date stays in `own`. Linear time.
 */
export function splitEarlierMails(text: string): { readonly own: string; readonly earlier: readonly EarlierMail[] } {
  const lines = text.split("\n");
  for (const [i, line] of lines.entries()) {
    const quoted = LABELLED.test(line) ? belowHeader(lines, i) : SIGN.test(line) ? belowSentence(lines, i) : null;
    if (quoted === null) continue;
    const { from, body, to, date } = quoted;
    const head = lines.slice(from, body).filter((line) => !RULE.test(line));
    const inner = splitEarlierMails(lines.slice(body, to).map(withoutSign).join("\n"));
    const text = `${head.map(withoutSign).join("\n").trim()}\n\n${inner.own}`;
    const behind = splitEarlierMails(lines.slice(to).join("\n"));
    const own = [...lines.slice(0, from), ...(to < lines.length ? [behind.own] : [])].join("\n");
    return { own, earlier: [{ text, date }, ...inner.earlier, ...behind.earlier] };
  }
  return { own: text, earlier: [] };
}

/**
 * Returns the line range of the quoted mail whose header begins at line `at`, or `null`. `body` is the first line below
 * the header. The quoted mail extends to the end of the text. A header on the first line belongs to the mail itself.
 */
function belowHeader(lines: readonly string[], at: number) {
  if (at === 0) return null;
  let end = at;
  while (LABELLED.test(lines[end] ?? "")) end++;
  const header = lines.slice(at, end).join("\n");
  const date = end - at < LEAST_LABELLED ? null : dateIn(header);
  let from = at;
  while (from > 1 && (lines[from - 1]?.trim() === "" || RULE.test(lines[from - 1] ?? ""))) from--;
  // Without a line of dashes or a mail address, the lines may be any list of labelled values.
  if (date === null || !(header.includes("@") || lines.slice(from, at).some((line) => RULE.test(line)))) return null;
  return { from, body: end, to: lines.length, date };
}

/** Returns the range of quoted lines from line `at` on, with the sentence that introduces them; `null` if that has no date. */
function belowSentence(lines: readonly string[], at: number) {
  let last = at - 1;
  while (last >= 0 && lines[last]?.trim() === "") last--;
  if (!/:\s*$/.test(lines[last] ?? "")) return null;
  let from = last;
  while (from > 0 && last - from + 1 < MAX_INTRODUCTION && lines[from - 1]?.trim() !== "") from--;
  while (from < last && dateIn(lines.slice(from + 1, last + 1).join(" ")) !== null) from++;
  const date = dateIn(lines.slice(from, last + 1).join(" "));
  let to = at;
  while (to < lines.length && (SIGN.test(lines[to] ?? "") || (lines[to]?.trim() === "" && SIGN.test(lines[to + 1] ?? "")))) to++;
  return date === null ? null : { from, body: at, to, date };
}

function dateIn(text: string): string | null {
  const found = valuesIn(text).find(({ kind, low }) => kind === "date" && /^\d{4}-\d{2}-\d{2}$/.test(String(low)));
  return found === undefined ? null : String(found.low);
}

function withoutSign(line: string): string {
  return line.replace(SIGN, "");
}
