/** Ids in one `in (…)`; SQLite allows 32,766 parameters. */
const IDS_PER_QUERY = 500;

export function inParts(ids: readonly string[]): string[][] {
  const parts: string[][] = [];
  for (let at = 0; at < ids.length; at += IDS_PER_QUERY) parts.push(ids.slice(at, at + IDS_PER_QUERY));
  return parts;
}
