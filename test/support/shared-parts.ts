import { openSharedReader } from "../../src/cross-encoder/create-reader.ts";
import { createFileReader } from "../../src/ingest/file-reader.ts";
import { sharedEnglishWords } from "../../src/language/content-words.ts";
import { sharedEncoder } from "../../src/models/embedded-encoder.ts";
import { once } from "../../src/text/memo.ts";

// Never closed: otherwise the last engine to close would end the cross-encoder's threads, and the next engine would start new ones.
openSharedReader();

/** Parts shared by the engines of a test file, so that the encoder and the word lists load once and one thread parses all files. */
export const SHARED_PARTS = {
  embedded: once(sharedEncoder),
  reader: createFileReader(),
  words: sharedEnglishWords(),
};
