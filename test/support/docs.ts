import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_ROOT } from "../../src/package.ts";

/** Pages of which every block runs, in order, in an empty folder. */
export const TUTORIALS: readonly string[] = ["docs/getting-started.md", "docs/domain-pack.md", "docs/evaluate.md"];

export interface Block {
  /** Text after the fence: the language, and `title=` of a file. */
  readonly info: string;
  readonly text: string;
}

export const PAGES: readonly string[] = [
  "README.md",
  "CONTRIBUTING.md",
  ...readdirSync(join(PACKAGE_ROOT, "docs"))
    .filter((name) => name.endsWith(".md"))
    .sort()
    .map((name) => `docs/${name}`),
];

/** Returns a page's sections by title with their fenced blocks in order; blocks before the first title have the title "". */
export function sectionsOf(page: string): [string, Block[]][] {
  const sections: [string, Block[]][] = [];
  let open: { info: string; indent: number; lines: string[] } | null = null;
  for (const line of textOf(page).split("\n")) {
    const fence = /^( *)```(.*)$/.exec(line);
    if (open !== null && fence !== null) {
      sections.at(-1)?.[1].push({ info: open.info, text: `${open.lines.join("\n")}\n` });
      open = null;
    } else if (open !== null) open.lines.push(line.slice(open.indent));
    else if (fence !== null) {
      if (sections.length === 0) sections.push(["", []]);
      open = { info: fence[2] ?? "", indent: fence[1]?.length ?? 0, lines: [] };
    } else if (line.startsWith("## ")) sections.push([line.slice(3), []]);
  }
  return sections;
}

/** Returns a page's fenced blocks of one language; blocks with a `title=` do not match. */
export function blocksOf(page: string, language: string): string[] {
  return sectionsOf(page).flatMap(([, blocks]) => blocks.filter(({ info }) => info === language).map(({ text }) => text));
}

/** Returns the shell commands of a page, from `sh` blocks and from lines indented by four spaces. */
export function shellLines(page: string): string[] {
  const fenced = blocksOf(page, "sh").flatMap((text) => text.replaceAll(/\\\n\s*/g, "").split("\n"));
  const outside = textOf(page).replaceAll(/^ *```[\s\S]*?^ *```$/gm, "");
  const setIn = [...outside.matchAll(/^ {4}((?:[A-Z_]+=\S+ )*(?:\.\/run|sourcebound|node) .*)$/gm)].map(([, line = ""]) => line);
  return [...fenced, ...setIn].map((line) => line.trim()).filter((line) => line !== "");
}

/** Returns the commands in the prose of a page. */
export function inlineCommands(page: string): string[] {
  const outside = textOf(page).replaceAll(/^ *```[\s\S]*?^ *```$/gm, "");
  return [...outside.matchAll(/`((?:\.\/run|sourcebound) [^`\n]+)`/g)].map(([, text = ""]) => text);
}

export function withoutComment(line: string): string {
  return line.replace(/\s+#\s.*$/, "");
}

/** Splits a command line as a shell does, with quotes. */
export function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, bare]) => double ?? single ?? bare ?? "");
}

/** Splits a command line into its leading environment variables and its words. */
export function commandOf(line: string): { env: Record<string, string>; words: string[] } {
  const words = wordsOf(withoutComment(line));
  const env: Record<string, string> = {};
  while (/^[A-Z_]+=/.test(words[0] ?? "")) {
    const [name = "", value = ""] = (words.shift() ?? "").split(/=(.*)/s);
    env[name] = value;
  }
  return { env, words };
}

function textOf(page: string): string {
  return readFileSync(join(PACKAGE_ROOT, page), "utf8");
}
