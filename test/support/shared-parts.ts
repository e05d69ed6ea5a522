import { createGeneralWords } from "../../src/compare/general-words.ts";
import { createFileReader } from "../../src/ingest/file-reader.ts";
import { type EmbeddedEncoder, loadEmbeddedEncoder } from "../../src/models/embedded-encoder.ts";

let encoder: EmbeddedEncoder | null = null;

/** What every engine of a test file shares: the encoder that ships and the lists of words are read once, and one thread reads all files. */
export const SHARED_PARTS = {
  embedded: (): EmbeddedEncoder => {
    encoder ??= loadEmbeddedEncoder();
    return encoder;
  },
  reader: createFileReader(),
  words: createGeneralWords(),
};
