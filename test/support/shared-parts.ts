import { openSharedReader } from "../../src/cross-encoder/shared-reader.ts";
import { createFileReader } from "../../src/ingest/file-reader.ts";
import { sharedWords } from "../../src/language/general-words.ts";
import { sharedEncoder } from "../../src/models/embedded-encoder.ts";
import { once } from "../../src/text/memo.ts";

// Never closed: the last engine that closes would else end the reader's threads, and the next one start them anew.
openSharedReader();

/** What every engine of a test file shares: the encoder that ships and the lists of words are read once, and one thread reads all files. */
export const SHARED_PARTS = {
  embedded: once(sharedEncoder),
  reader: createFileReader(),
  words: sharedWords(),
};
