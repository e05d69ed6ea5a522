import type { FormatFile } from "../format.ts";
import type { FormatResult } from "../parsed.ts";
export async function readPdf(_file: FormatFile): Promise<FormatResult[]> {
  return [];
}
