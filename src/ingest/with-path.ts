import { IngestError } from "../errors.ts";

/** An error of reading with the path of the file before it; any other as it is. */
export function withPath(error: unknown, path: string): unknown {
  if (!(error instanceof IngestError)) return error;
  return new IngestError(error.code, `${path}: ${error.message}`, { ...error.data, path }, { cause: error });
}
