import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { parseSync } from "vite";

/** A source file with its functions and imports. */
export interface SourceFile {
  /** Relative to the root of the checkout. */
  readonly path: string;
  readonly lines: number;
  readonly functions: readonly SourceFunction[];
  /** Paths of imported files of the checkout, type imports included. */
  readonly imports: readonly string[];
}

export interface SourceFunction {
  readonly name: string;
  readonly lines: number;
}

const IS_TEST = /^test\/|\.test\.tsx?$|\/(?:testing|fixtures)\//;

/** Parses every TypeScript file under a folder of the checkout. @param tests test files only, or all others */
export function readSources(root: string, folder: string, tests = false): SourceFile[] {
  const paths = globSync(`${folder}/**/*.{ts,tsx}`, { cwd: root, exclude: (name) => name.endsWith("node_modules") });
  return paths
    .filter((path) => IS_TEST.test(path) === tests && !path.includes("node_modules"))
    .sort()
    .map((path) => readSource(path, readFileSync(join(root, path), "utf8")));
}

/** @throws Error naming a file that is not valid TypeScript */
export function readSource(path: string, text: string): SourceFile {
  const { program, module, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} cannot be read: ${errors[0]?.message}`);
  const named = [...module.staticImports.map(({ moduleRequest }) => moduleRequest.value), ...exportedFrom(module), ...importedLater(text)];
  const imports = named.filter((name) => name.startsWith(".")).map((name) => normalize(join(dirname(path), name)));
  const starts = lineStarts(text);
  const linesOf = (from: number, to: number) => lineAt(starts, Math.max(from, to - 1)) - lineAt(starts, from) + 1;
  const functions: SourceFunction[] = [];
  visit(program, "", (name, from, to) => functions.push({ name, lines: linesOf(from, to) }));
  return { path, lines: starts.length - (text.endsWith("\n") ? 1 : 0), functions, imports: [...new Set(imports)] };
}

type Module = ReturnType<typeof parseSync>["module"];

function exportedFrom(module: Module): string[] {
  return module.staticExports.flatMap(({ entries }) => entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []));
}

function importedLater(text: string): string[] {
  return [...text.matchAll(/\bimport\("(\.[^"]+)"\)/g)].flatMap(([, name]) => name ?? []);
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

function lineAt(starts: readonly number[], offset: number): number {
  const after = starts.findIndex((start) => start > offset);
  return after < 0 ? starts.length : after;
}

/** Visits the functions of a syntax tree; an anonymous function takes the name of its nearest named ancestor. */
function visit(node: unknown, given: string, found: (name: string, start: number, end: number) => void): void {
  if (Array.isArray(node)) {
    for (const one of node) visit(one, given, found);
    return;
  }
  if (!isNode(node)) return;
  const own = nameOf(node.id) ?? nameOf(node.key);
  const name = own ?? given;
  if (FUNCTIONS.has(node.type) && isNode(node.body)) found(name, node.start, node.end);
  for (const [key, value] of Object.entries(node)) if (key !== "id" && key !== "key") visit(value, name, found);
}

const FUNCTIONS: ReadonlySet<string> = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);

interface TreeNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly id?: unknown;
  readonly key?: unknown;
  readonly body?: unknown;
}

function isNode(value: unknown): value is TreeNode {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

function nameOf(value: unknown): string | null {
  return typeof value === "object" && value !== null && "name" in value && typeof value.name === "string" ? value.name : null;
}
