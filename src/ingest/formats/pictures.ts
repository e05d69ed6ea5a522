import type { ReadingNotice } from "../../shared/types.ts";
import { layOutPicture, MAX_PICTURE_POINTS } from "./pdf/read.ts";
import type { Recogniser } from "./pdf/recognise.ts";
import { unpackPictures } from "./zip.ts";

/** Maximum total pixels of the pictures of a file. A screen has two million. */
const MAX_FILE_POINTS = 200_000_000;
/** A picture counts as at least this many pixels, so that the number of small pictures in a file is limited too. */
const MIN_COST = 200_000;
/** Number of failed pictures after which no further picture is read. Each failure restarts the recognition program. */
const MAX_FAILURES = 3;

/**
 * Returns the paragraphs that OCR recognised in a picture; `null` if there is no text. After the first call with the
 * same name, returns an empty list, so that no text is written twice.
 */
export type TakeText = (name: string) => readonly string[] | null;
export const NO_TEXT: TakeText = () => null;

/** Recognises the text of PNG and JPEG pictures, as far as the limits allow. A picture that fails counts as a picture without text. */
export async function recognisePictures(
  pictures: Iterable<readonly [name: string, bytes: Uint8Array]>,
  recogniser: Recogniser,
): Promise<TakeText> {
  const texts = new Map<string, readonly string[]>();
  let [points, failures] = [0, 0];
  for (const [name, bytes] of pictures) {
    const size = sizeOf(bytes);
    if (size === null || size.width * size.height > MAX_PICTURE_POINTS) continue;
    points += Math.max(MIN_COST, size.width * size.height);
    if (points > MAX_FILE_POINTS || failures >= MAX_FAILURES) break;
    try {
      const words = await recogniser.recognise(bytes);
      if (words.length > 0) texts.set(name, layOutPicture(words, size));
    } catch {
      failures++;
    }
  }
  return (name) => {
    const text = texts.get(name) ?? null;
    if (text !== null) texts.set(name, []);
    return text;
  };
}

/** Recognises the pictures in an archive, such as a DOCX file. The name of a picture is its path in the archive. */
export async function picturesIn(bytes: Uint8Array, recogniser: Recogniser | null): Promise<TakeText> {
  return recogniser === null ? NO_TEXT : recognisePictures(unpackPictures(bytes), recogniser);
}

/** Reads the size of a PNG or JPEG picture from its header; `null` for anything else. */
function sizeOf(bytes: Uint8Array): { readonly width: number; readonly height: number } | null {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (data.length > 24 && data.toString("latin1", 0, 8) === "\x89PNG\r\n\x1a\n")
    return { width: data.readUInt32BE(16), height: data.readUInt32BE(20) };
  if (data[0] !== 0xff || data[1] !== 0xd8) return null;
  for (let at = 2; at + 9 < data.length && data[at] === 0xff; at += 2 + data.readUInt16BE(at + 2)) {
    const marker = data[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: data.readUInt16BE(at + 5), width: data.readUInt16BE(at + 7) };
  }
  return null;
}

/**
 * Returns the notice for recognised text; none if `count` is 0.
 * @param ranges start and end of each recognised text in the original, in one flat list
 * @param count number of pictures with text
 */
export function recognisedNotices(ranges: readonly number[], count: number): ReadingNotice[] {
  if (count === 0) return [];
  const message = `the text of ${count} pictures comes from text recognition and may be wrong`;
  return [{ code: "recognised_text", message, count, ranges }];
}
