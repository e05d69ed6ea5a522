/** Of files at these paths, one that cannot lie beside a file at `path`: a file where it needs a folder, or below it. `null`: it fits. */
export function pathClash(path: string, others: Iterable<string>): string | null {
  for (const other of others) if (path.startsWith(`${other}/`) || other.startsWith(`${path}/`)) return other;
  return null;
}
