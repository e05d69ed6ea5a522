/** Path of a document whose file is called otherwise now. */
export function renamedPath(path: string, from: string, to: string): string {
  const entry = path.indexOf("#");
  return path === documentPath(from) ? documentPath(to) : `${documentPath(to)}${entry < 0 ? "" : path.slice(entry)}`;
}

/** A `#` in a file's name is written so that no file is taken for an entry of another one. */
export function documentPath(file: string): string {
  return file.replace(/%(?=(?:25)*23)/g, "%25").replaceAll("#", "%23");
}

/** The file in which a document stands, by the document's path: the inverse of `documentPath`, also for an entry of a file. */
export function fileOfDocument(path: string): string {
  const [file = path] = path.split("#");
  return file.replace(/%((?:25)*)23/g, (_, escaped: string) => (escaped === "" ? "#" : `%${escaped.slice(2)}23`));
}

/**
 * A web address as it may leave the system: http or https, absolute, without a user name; `null` for everything else. Documents state
 * addresses of any kind (`javascript:`, `data:`, names of files), and readers turn what they are given into links.
 *
 * @example httpUrl(" https://library.example/fees ") // "https://library.example/fees"
 */
export function httpUrl(stated: string | null): string | null {
  const url = stated?.trim() ?? "";
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return null;
  const { username, password } = new URL(url);
  return username === "" && password === "" ? url : null;
}

/** Id of a chunk: its document, the start of the document's version, its place. */
export function chunkId(documentId: string, version: string, ordinal: number): string {
  return `${documentId}-${version.slice(0, 8)}-${ordinal}`;
}

/** The document that a chunk belongs to, also when the chunk is gone. */
export function documentOfChunk(id: string): string {
  return id.replace(/-[^-]*-\d+$/, "");
}

/** Of files at these paths, one that cannot lie beside a file at `path`: a file where it needs a folder, or below it. `null`: it fits. */
export function pathClash(path: string, others: Iterable<string>): string | null {
  for (const other of others) if (path.startsWith(`${other}/`) || other.startsWith(`${path}/`)) return other;
  return null;
}
