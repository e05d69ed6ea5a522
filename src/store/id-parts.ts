/** Ids in one `in (…)`; SQLite allows 32,766 parameters. */
const IDS_PER_QUERY = 500;

/** The same in their order, in parts of as many as one query takes; no part is empty. */
export function inParts<T>(ids: readonly T[]): [T, ...T[]][] {
  const parts: [T, ...T[]][] = [];
  for (let at = 0; at < ids.length; at += IDS_PER_QUERY) {
    const [first, ...rest] = ids.slice(at, at + IDS_PER_QUERY);
    if (first !== undefined) parts.push([first, ...rest]);
  }
  return parts;
}
