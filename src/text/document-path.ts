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
