import { basename } from "node:path";
import { RequestError } from "../errors.ts";
import { assertSupported } from "./formats/formats.ts";

/**
 * The name under which a document that is handed over is kept.
 * @throws RequestError `input_name`; IngestError `unsupported_format`
 */
export function inputName(name: string): string {
  const plain = basename(name).replaceAll(/[\p{Cc}/\\]/gu, "_");
  if (plain === "" || plain.startsWith("."))
    throw new RequestError("input_name", `"${name}" is no name of a file: give one such as notes.md.`);
  assertSupported(plain);
  return plain;
}
