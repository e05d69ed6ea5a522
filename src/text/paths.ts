/** Returns the path of a document after its file was renamed from `from` to `to`. An entry in the file keeps its `#id`. */
export function renamedPath(path: string, from: string, to: string): string {
  const entry = path.indexOf("#");
  return path === documentPath(from) ? documentPath(to) : `${documentPath(to)}${entry < 0 ? "" : path.slice(entry)}`;
}

/** Matches control characters, and characters that reverse the order in which a name is displayed: `a\u202edm.exe` looks like `aexe.md`. */
export const UNPRINTABLE = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** Escapes `#` in a file name as `%23`, because `#` separates a file from an entry in it. A literal `%23` becomes `%2523`. */
export function documentPath(file: string): string {
  return file.replace(/%(?=(?:25)*23)/g, "%25").replaceAll("#", "%23");
}

/**
 * Returns the path of the file that contains a document: the inverse of `documentPath`. Also accepts the path of an
 * entry in a file (`file.json#entry_id`).
 */
export function fileOfDocument(path: string): string {
  const [file = path] = path.split("#");
  return file.replace(/%((?:25)*)23/g, (_, escaped: string) => (escaped === "" ? "#" : `%${escaped.slice(2)}23`));
}

/**
 * Returns a web address if it is safe to publish: http or https, absolute, without a user name. Returns `null` for all
 * other strings. Documents contain addresses of any kind (`javascript:`, `data:`, file names), and clients turn the
 * address into a link.
 *
 * @example httpUrl(" https://library.example/fees ") // "https://library.example/fees"
 */
export function httpUrl(stated: string | null): string | null {
  const url = stated?.trim() ?? "";
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return null;
  const { username, password } = new URL(url);
  return username === "" && password === "" ? url : null;
}

/** Returns the id of a chunk: its document, the version of the document, and its ordinal. */
export function chunkId(documentId: string, version: string, ordinal: number): string {
  return `${documentId}-${version.slice(0, 8)}-${ordinal}`;
}

/** Extracts the document id from a chunk id. Works without the chunk, which may have been deleted. */
export function documentOfChunk(id: string): string {
  return id.replace(/-[^-]*-\d+$/, "");
}

/**
 * Returns the first of `others` that conflicts with `path` because one of the two must be a folder, as in `a` and `a/b`.
 * Returns `null` if there is none.
 */
export function pathClash(path: string, others: Iterable<string>): string | null {
  for (const other of others) if (path.startsWith(`${other}/`) || other.startsWith(`${path}/`)) return other;
  return null;
}
