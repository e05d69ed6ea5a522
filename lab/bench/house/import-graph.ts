import type { SourceFile } from "./source-files.ts";

/** Finds groups of files that import each other in a cycle, type imports included. There should be none. */
export function circlesOf(files: readonly Pick<SourceFile, "path" | "imports">[]): string[][] {
  const importsOf = new Map(files.map(({ path, imports }) => [path, imports]));
  const reached = (from: string) => {
    const seen = new Set<string>();
    const open = [from];
    for (let next = open.pop(); next !== undefined; next = open.pop())
      for (const path of importsOf.get(next) ?? [])
        if (!seen.has(path)) {
          seen.add(path);
          open.push(path);
        }
    return seen;
  };
  const inCircle = new Map(files.map(({ path }) => [path, reached(path)] as const).filter(([path, seen]) => seen.has(path)));
  const groups = new Map<string, string[]>();
  for (const [path, seen] of inCircle) {
    const group = [...inCircle.keys()].filter((other) => seen.has(other) && inCircle.get(other)?.has(path));
    groups.set(group.join(), group);
  }
  return [...groups.values()];
}

/** Returns the import distance of each visited file from `start`, along visited files. Omits unreachable files. */
export function stepsFrom(
  start: string,
  files: readonly Pick<SourceFile, "path" | "imports">[],
  visited: ReadonlySet<string>,
): ReadonlyMap<string, number> {
  const importsOf = new Map(files.map(({ path, imports }) => [path, imports]));
  const steps = new Map([[start, 0]]);
  // Iterating over a Map includes entries added meanwhile: a breadth-first search.
  for (const [path, step] of steps)
    for (const next of importsOf.get(path) ?? []) if (visited.has(next) && !steps.has(next)) steps.set(next, step + 1);
  return steps;
}
