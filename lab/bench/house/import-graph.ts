import type { SourceFile } from "./source-files.ts";

/** Groups of files that import each other, in a circle, types included; none is right. */
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

/** How many imports a file is away from where reading begins, by imports into files that are visited; files that none leads to are left out. */
export function stepsFrom(
  start: string,
  files: readonly Pick<SourceFile, "path" | "imports">[],
  visited: ReadonlySet<string>,
): ReadonlyMap<string, number> {
  const importsOf = new Map(files.map(({ path, imports }) => [path, imports]));
  const steps = new Map([[start, 0]]);
  // A map is walked in the order in which it grows: nearest first.
  for (const [path, step] of steps)
    for (const next of importsOf.get(path) ?? []) if (visited.has(next) && !steps.has(next)) steps.set(next, step + 1);
  return steps;
}
