import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { IngestError, messageOf } from "../../../shared/errors.ts";
import type { PdfBox, PdfWord } from "./words.ts";

/** The optional packages for text recognition (OCR): the program and its language data. */
export const RECOGNITION_PACKAGES = ["tesseract.js", "@tesseract.js-data/eng"] as const;
/** Folder of the smaller of the two models in the language package: 3 MB, integer weights. */
const LANGUAGE_FOLDER = "4.0.0_best_int";
/** Number of pages after which the worker restarts, because its memory only grows. */
const PAGES_PER_WORKER = 20;
/** Minimum confidence of a word on a scanned page, in percent. */
const MIN_CONFIDENCE = 30;
/** Minimum confidence of a word in an embedded picture, in percent. Patterns in photographs are taken for words with up to 45 %. */
const MIN_PICTURE_CONFIDENCE = 60;
/** Maximum milliseconds for recognising one picture. Less than `FILE_TIMEOUT_MS`, so that one noisy picture does not fail the file. */
const PICTURE_TIMEOUT_MS = 50_000;

/** A decoded picture with one, three or four bytes per pixel. */
export type Picture = Readonly<{ width: number; height: number; channels: number; data: ArrayLike<number> }>;

/** A recognised word. Its box is in pixels from the upper left corner of the picture. `line` is the index of its line. */
export type RecognisedWord = ReturnType<typeof wordsOf>[number];

export interface Recogniser {
  /** Recognises the words of a page, or of an embedded picture given as the bytes of a PNG or JPEG file. */
  recognise(picture: Picture | Uint8Array): Promise<readonly RecognisedWord[]>;
  close(): Promise<void>;
}

const bbox = z.object({ x0: z.number(), y0: z.number(), x1: z.number(), y1: z.number() });
const lineSchema = z.object({ bbox, words: z.array(z.object({ text: z.string(), confidence: z.number(), bbox })) });
const blockSchema = z.object({ paragraphs: z.array(z.object({ lines: z.array(lineSchema) })) });
const resultSchema = z.object({ data: z.object({ blocks: z.array(blockSchema).nullable() }) });

interface Reader {
  recognize(image: Buffer, options: object, output: { readonly blocks: true; readonly text: false }): Promise<unknown>;
  terminate(): Promise<unknown>;
}
type CreateReader = (language: string, mode: number, options: Readonly<Record<string, unknown>>) => Promise<Reader>;
const moduleSchema = z.object({ createWorker: z.custom<CreateReader>((value) => typeof value === "function") });

/** Finds both packages, beside this program or in the given folders; `null` if one of them is missing. */
export function findRecognition(
  folders: readonly string[] = [process.cwd()],
): { readonly program: string; readonly language: string } | null {
  for (const base of [import.meta.url, ...folders.map((folder) => pathToFileURL(join(folder, "package.json")).href)]) {
    const require = createRequire(base);
    try {
      const language = dirname(require.resolve(`${RECOGNITION_PACKAGES[1]}/package.json`));
      return { program: require.resolve(RECOGNITION_PACKAGES[0]), language: join(language, LANGUAGE_FOLDER) };
    } catch {
      // This folder does not contain both packages.
    }
  }
  return null;
}

/** Creates a recogniser whose worker starts at the first picture. It fetches nothing and caches nothing on disk. */
export function createRecogniser({ program, language }: { readonly program: string; readonly language: string }): Recogniser {
  let reader: Reader | null = null;
  let pages = 0;
  const end = async () => {
    await reader?.terminate();
    reader = null;
    pages = 0;
  };
  return {
    async recognise(picture) {
      if (pages >= PAGES_PER_WORKER) await end();
      try {
        reader ??= await start(program, language);
        pages++;
        const [image, least] =
          picture instanceof Uint8Array ? [Buffer.from(picture), MIN_PICTURE_CONFIDENCE] : [pnmOf(picture), MIN_CONFIDENCE];
        const late = setTimeout(PICTURE_TIMEOUT_MS, null, { ref: false });
        const result = await Promise.race([reader.recognize(image, {}, { blocks: true, text: false }), late]);
        if (result === null) throw new Error(`it took longer than ${PICTURE_TIMEOUT_MS / 1000} seconds`);
        return wordsOf(resultSchema.parse(result).data.blocks ?? [], least);
      } catch (cause) {
        await end().catch(() => {});
        throw new IngestError("recognition_failed", `text recognition failed (${messageOf(cause)})`, {}, { cause });
      }
    },
    close: end,
  };
}

async function start(program: string, language: string): Promise<Reader> {
  const loaded: unknown = await import(pathToFileURL(program).href);
  const outer = z.object({ default: z.unknown() }).parse(loaded);
  const { createWorker } = moduleSchema.parse(moduleSchema.safeParse(loaded).success ? loaded : outer.default);
  return createWorker("eng", 1, { langPath: language, gzip: true, cacheMethod: "none", errorHandler: () => {} });
}

function wordsOf(blocks: readonly z.infer<typeof blockSchema>[], least: number) {
  const lines = blocks.flatMap(({ paragraphs }) => paragraphs.flatMap((paragraph) => paragraph.lines));
  return lines.flatMap(({ words, bbox }, line) =>
    words
      .filter(({ confidence, text }) => confidence >= least && text.trim() !== "")
      .map(({ text, bbox: { x0: x, y0: y, x1, y1 } }) => {
        return { text, x, y, width: x1 - x, height: y1 - y, line, lineHeight: bbox.y1 - bbox.y0 };
      }),
  );
}

/** Converts a picture to grey PNM, the simplest format that the recogniser accepts. */
function pnmOf({ width, height, channels, data }: Picture): Buffer {
  const head = Buffer.from(`P5\n${width} ${height}\n255\n`);
  const image = Buffer.alloc(head.length + width * height);
  head.copy(image);
  const colours = Math.min(3, channels);
  for (let i = 0; i < width * height; i++) {
    let sum = 0;
    for (let c = 0; c < colours; c++) sum += data[i * channels + c] ?? 255;
    image[head.length + i] = sum / colours;
  }
  return image;
}

/** Converts words in a picture to words on the page that shows the picture. */
export function wordsOnPage(words: readonly RecognisedWord[], picture: Pick<Picture, "width" | "height">, box: PdfBox): PdfWord[] {
  const acrossX = (box.right - box.x) / picture.width;
  const acrossY = (box.bottom - box.y) / picture.height;
  const looks = { isBold: false, isMono: false, isSpaced: true, isArtifact: false, hidden: null, isTurned: false };
  return words.map(({ text, x, y, width, height, line, lineHeight }) => {
    const bottom = box.y + (y + height) * acrossY;
    const place = { x: box.x + x * acrossX, y: box.y + y * acrossY, right: box.x + (x + width) * acrossX, bottom, baseline: bottom };
    return { ...looks, ...place, text, run: line, size: lineHeight * acrossY };
  });
}
