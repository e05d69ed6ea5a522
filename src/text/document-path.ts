/** Path of a document whose file is called otherwise now. */
export function renamedPath(path: string, from: string, to: string): string {
  const entry = path.indexOf("#");
  return path === documentPath(from) ? documentPath(to) : `${documentPath(to)}${entry < 0 ? "" : path.slice(entry)}`;
}

/** A `#` in a file's name is written so that no file is taken for an entry of another one. */
export function documentPath(file: string): string {
  return file.replace(/%(?=(?:25)*23)/g, "%25").replaceAll("#", "%23");
}
