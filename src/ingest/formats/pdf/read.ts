import { IngestError } from "../../../errors.ts";
import type { FormatFile } from "../format.ts";
import type { FormatResult } from "../parsed.ts";

export async function readPdf(_file: FormatFile): Promise<FormatResult[]> {
  throw new IngestError("unsupported_format", "this is a PDF, which is not read yet: export it as DOCX, HTML or text");
}
