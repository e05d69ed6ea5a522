import { deflateSync } from "node:zlib";

/** A block of a generated PDF. It is also what a reader of the file should return. */
export type PdfMadeBlock =
  | { readonly type: "heading"; readonly level: 1 | 2; readonly text: string }
  | { readonly type: "paragraph"; readonly text: string; readonly note?: string }
  | { readonly type: "table"; readonly rows: readonly (readonly string[])[]; readonly isRuled: boolean };

export interface PdfMadeOptions {
  readonly columns?: 1 | 2;
  /** Prints a running header and footer with the page number. */
  readonly hasRunningHeads?: boolean;
  readonly isRotated?: boolean;
  readonly hasLigatures?: boolean;
  readonly hasHyphens?: boolean;
  readonly hasOutline?: boolean;
  readonly isJustified?: boolean;
  /** Raw operators at the end of the first page, in PDF coordinates. */
  readonly extra?: string;
  /** Additional entries of the catalogue. */
  readonly catalogue?: string;
  /** Number of pages without text at the end. */
  readonly emptyPages?: number;
}

/** A drawn word, in points from the upper left corner of the displayed page. */
export interface MadeWord {
  readonly text: string;
  readonly page: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Index of the block that contains the word. */
  readonly block: number;
  readonly row: number | null;
  readonly column: number | null;
}

export interface MadePdf {
  readonly bytes: Uint8Array;
  readonly words: readonly MadeWord[];
  readonly pages: number;
}

/** Advance widths of Helvetica from the space to `~`, in thousandths of the font size. */
const WIDTHS = (
  "278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 278 584 584 584 556 1015 667 667 722 722 667 611 " +
  "778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944 667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 " +
  "556 556 556 556 333 500 278 556 500 722 500 500 500 334 260 334 584"
)
  .split(" ")
  .map(Number);
const LIGATURES: Readonly<Record<string, string>> = { fi: "\x01", fl: "\x02" };
const LIGATURE_WIDTH = 500;

const MARGIN = 72;
const GUTTER = 24;
const BODY = 10;
const SIZES = { 0: BODY, 1: 18, 2: 13 } as const;

/** Generates a PDF with these blocks in order, and returns the position of every word. */
export function makePdf(blocks: readonly PdfMadeBlock[], options: PdfMadeOptions = {}): MadePdf {
  const { columns = 1, isRotated = false } = options;
  const page = isRotated ? { width: 792, height: 612 } : { width: 612, height: 792 };
  const columnWidth = (page.width - 2 * MARGIN - (columns - 1) * GUTTER) / columns;
  const streams: string[][] = [];
  const words: MadeWord[] = [];
  const outline: { title: string; page: number }[] = [];
  let column: number = columns;
  let y = 0;
  let notes = 0;
  let notesTop = page.height - MARGIN;
  const out = (text: string) => streams.at(-1)?.push(text);
  const nextColumn = () => {
    column++;
    y = MARGIN;
    if (column < columns) return;
    column = 0;
    notesTop = page.height - MARGIN;
    streams.push([]);
    if (options.hasRunningHeads !== true) return;
    line(`Handbook of made files ${2026}`, { x: MARGIN, y: 40, size: 8 }, null);
    line(`Page ${streams.length}`, { x: page.width / 2, y: page.height - 40, size: 8 }, null);
  };
  const left = () => MARGIN + column * (columnWidth + GUTTER);
  const place = (height: number) => {
    if (y + height > notesTop) nextColumn();
  };

  /** Draws one line of words. `y` is the top of the line. */
  function line(
    text: string,
    at: { readonly x: number; readonly y: number; readonly size: number; readonly isBold?: boolean; readonly gap?: number },
    truth: { readonly block: number; readonly row?: number; readonly column?: number } | null,
  ): void {
    const { size, isBold = false, gap = 0 } = at;
    const baseline = at.y + size * 0.8;
    out(
      `BT /${isBold ? "F2" : "F1"} ${size} Tf ${gap.toFixed(3)} Tw 1 0 0 1 ${at.x.toFixed(2)} ${(page.height - baseline).toFixed(2)} Tm (${encode(text, options)}) Tj ET`,
    );
    let x = at.x;
    for (const word of text.split(" ")) {
      const width = widthOf(word, size, options);
      if (truth !== null) {
        const { block, row = null, column: cell = null } = truth;
        words.push({ text: word, page: streams.length, x, y: at.y, width, height: size, block, row, column: cell });
      }
      x += width + widthOf(" ", size, options) + gap;
    }
  }

  nextColumn();
  for (const [index, block] of blocks.entries()) {
    if (block.type === "table") drawTable(index, block);
    else drawText(index, block);
  }

  function drawText(index: number, block: Exclude<PdfMadeBlock, { type: "table" }>): void {
    const size = block.type === "heading" ? SIZES[block.level] : BODY;
    const pitch = size * 1.2;
    y += block.type === "heading" ? size * 0.6 : 0;
    place(block.type === "heading" ? pitch * 4 : pitch * 2);
    if (block.type === "heading") outline.push({ title: block.text, page: streams.length });
    const note = block.type === "paragraph" ? block.note : undefined;
    if (note !== undefined) notesTop -= BODY * 1.2;
    const rest = block.text.split(" ");
    while (rest.length > 0) {
      place(pitch);
      const taken = takeLine(rest, columnWidth, size, options);
      const text = taken.join(" ");
      const spare = columnWidth - widthOf(text, size, options);
      const gap = options.isJustified === true && rest.length > 0 && taken.length > 1 ? spare / (taken.length - 1) : 0;
      line(text, { x: left(), y, size, isBold: block.type === "heading", gap }, { block: index });
      y += pitch;
    }
    if (note !== undefined) {
      const last = words.at(-1) as MadeWord;
      const mark = String(++notes);
      line(mark, { x: last.x + last.width + 0.5, y: last.y - 1, size: 6 }, null);
      line(mark, { x: left(), y: notesTop + 2, size: 7 }, null);
      line(note, { x: left() + 8, y: notesTop + 2, size: 7 }, { block: index + 0.5 });
    }
    y += pitch * 0.6;
  }

  function drawTable(index: number, { rows, isRuled }: PdfMadeBlock & { type: "table" }): void {
    const cells = Math.max(...rows.map((row) => row.length));
    const width = columnWidth / cells;
    const height = BODY * 1.2 + 8;
    y += 6;
    for (const [r, row] of rows.entries()) {
      place(height);
      const top = y;
      if (isRuled) {
        for (let c = 0; c < cells; c++)
          out(
            `0.5 w ${(left() + c * width).toFixed(2)} ${(page.height - top - height).toFixed(2)} ${width.toFixed(2)} ${height.toFixed(2)} re S`,
          );
      }
      for (const [c, text] of row.entries())
        line(
          fitting(text, width - 8, options),
          { x: left() + c * width + 4, y: top + 4, size: BODY, isBold: r === 0 },
          { block: index, row: r, column: c },
        );
      y = top + height;
    }
    y += 10;
  }

  for (let i = 0; i < (options.emptyPages ?? 0); i++) streams.push([]);
  streams[0]?.push(options.extra ?? "");
  return { bytes: assemble(streams, { ...options, outline }), words, pages: streams.length };
}

/** Shortens the text of a cell to the words that fit into `width`, but at least to one word. */
function fitting(text: string, width: number, options: PdfMadeOptions): string {
  const words = text.split(" ");
  while (words.length > 1 && widthOf(words.join(" "), BODY, options) > width) words.pop();
  return words.join(" ");
}

/** Removes the words of one line from `rest` and returns them. With `hasHyphens`, the line may end with the first half of a long word. */
function takeLine(rest: string[], width: number, size: number, options: PdfMadeOptions): string[] {
  const taken: string[] = [];
  let used = 0;
  while (rest.length > 0) {
    const word = rest[0] as string;
    const own = widthOf(word, size, options) + (taken.length > 0 ? widthOf(" ", size, options) : 0);
    if (taken.length > 0 && used + own > width) {
      const half = word.length >> 1;
      const head = `${word.slice(0, half)}-`;
      if (options.hasHyphens === true && /^[a-z]{8,}$/.test(word) && used + widthOf(` ${head}`, size, options) <= width) {
        taken.push(head);
        rest[0] = word.slice(half);
      }
      break;
    }
    taken.push(word);
    used += own;
    rest.shift();
  }
  return taken;
}

function widthOf(text: string, size: number, { hasLigatures }: PdfMadeOptions): number {
  let sum = 0;
  for (let i = 0; i < text.length; i++) {
    if (hasLigatures === true && LIGATURES[text.slice(i, i + 2)] !== undefined) {
      sum += LIGATURE_WIDTH;
      i++;
    } else sum += WIDTHS[text.charCodeAt(i) - 32] ?? 556;
  }
  return (sum * size) / 1000;
}

function encode(text: string, { hasLigatures }: PdfMadeOptions): string {
  const joined = hasLigatures === true ? text.replace(/fi|fl/g, (pair) => LIGATURES[pair] ?? pair) : text;
  return joined
    .replace(/[\\()]/g, "\\$&")
    .replaceAll("\x01", "\\001")
    .replaceAll("\x02", "\\002");
}

/** Font for text that operators in `extra` draw. */
const TYPEWRITER = "<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>";

function assemble(
  streams: readonly (readonly string[])[],
  options: PdfMadeOptions & { readonly outline: readonly { title: string; page: number }[] },
): Uint8Array {
  const objects: string[] = [];
  const add = (content: string) => objects.push(content);
  const first = 6;
  const pageOf = (i: number) => first + i * 2;
  const widths = `[${[LIGATURE_WIDTH, LIGATURE_WIDTH, ...Array.from({ length: 29 }, () => 0), ...WIDTHS].join(" ")}]`;
  const encoding = "<< /Type /Encoding /BaseEncoding /StandardEncoding /Differences [1 /fi /fl 39 /quotesingle 96 /grave] >>";
  const font = (name: string) =>
    `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /FirstChar 1 /LastChar 126 /Widths ${widths} /Encoding ${encoding} >>`;
  const outlineAt = first + streams.length * 2;
  const hasOutline = options.hasOutline === true && options.outline.length > 0;
  add(`<< /Type /Catalog /Pages 2 0 R ${hasOutline ? `/Outlines ${outlineAt} 0 R` : ""} ${options.catalogue ?? ""} >>`);
  add(`<< /Type /Pages /Count ${streams.length} /Kids [${streams.map((_, i) => `${pageOf(i)} 0 R`).join(" ")}] >>`);
  add(font("Helvetica"));
  add(font("Helvetica-Bold"));
  add("<< /Producer (made) >>");
  for (const stream of streams) {
    const turn = options.isRotated === true ? "0 1 -1 0 612 0 cm\n" : "";
    const packed = deflateSync(Buffer.from(`${turn}${stream.join("\n")}`, "latin1")).toString("latin1");
    add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] ${options.isRotated === true ? "/Rotate 90" : ""} /Resources << /Font << /F1 3 0 R /F2 4 0 R /F3 ${TYPEWRITER} >> >> /Contents ${objects.length + 2} 0 R >>`,
    );
    add(`<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n${packed}\nendstream`);
  }
  if (hasOutline) {
    const { outline } = options;
    add(`<< /Type /Outlines /First ${outlineAt + 1} 0 R /Last ${outlineAt + outline.length} 0 R /Count ${outline.length} >>`);
    for (const [i, { title, page }] of outline.entries()) {
      const next = i + 1 < outline.length ? `/Next ${outlineAt + i + 2} 0 R` : "";
      const previous = i > 0 ? `/Prev ${outlineAt + i} 0 R` : "";
      add(`<< /Title (${encode(title, {})}) /Parent ${outlineAt} 0 R ${next} ${previous} /Dest [${pageOf(page - 1)} 0 R /Fit] >>`);
    }
  }
  let body = "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n";
  const offsets = objects.map((content, i) => {
    const at = body.length;
    body += `${i + 1} 0 obj\n${content}\nendobj\n`;
    return at;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const end = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info 5 0 R >>\nstartxref\n${body.length}\n%%EOF\n`;
  return Buffer.from(body + end, "latin1");
}
