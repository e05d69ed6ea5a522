import type { Format } from "./format.ts";
import { readPdf } from "./pdf/read.ts";
export const pdfFormat: Format = { name: "pdf", extensions: [".pdf"], version: 1, read: readPdf };
