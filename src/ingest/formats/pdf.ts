import type { Format } from "./format.ts";
import { readPdf } from "./pdf/read.ts";

/** Pages with the box of every word; offsets count the text that was taken out. */
export const pdfFormat: Format = { name: "pdf", extensions: [".pdf"], version: 4, read: readPdf };
