/** Ending of a file's name in lower case with the dot; empty: it has none. */
export function extensionOf(path: string): string {
  return /[^/\\](\.[^./\\]*)$/.exec(path)?.[1]?.toLowerCase() ?? "";
}

/** File name without its ending. */
export function nameOf(path: string): string {
  const file = path.split("/").at(-1) ?? path;
  return file.replace(/\.[^.]*$/, "") || file;
}
