import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_ROOT } from "../../src/package.ts";

/** A fenced block of a page. */
export interface Block {
  /** What stands behind the fence: the language, and `title=` of a file. */
  readonly info: string;
  readonly text: string;
}

/** README, CONTRIBUTING and every page of `docs/`. */
export const PAGES: readonly string[] = [
  "README.md",
  "CONTRIBUTING.md",
  ...readdirSync(join(PACKAGE_ROOT, "docs"))
    .filter((name) => name.endsWith(".md"))
    .sort()
    .map((name) => `docs/${name}`),
];

/** Sections of a page by their titles, each with its fenced blocks in order; what stands above the first title is of none. */
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

/** All fenced blocks of a page of one language, without those that are files. */
export function blocksOf(page: string, language: string): string[] {
  return sectionsOf(page).flatMap(([, blocks]) => blocks.filter(({ info }) => info === language).map(({ text }) => text));
}

/** Lines of a shell in the examples of a page: of its blocks of `sh`, and of what is set in by four blanks. */
export function shellLines(page: string): string[] {
  const fenced = blocksOf(page, "sh").flatMap((text) => text.replaceAll(/\\\n\s*/g, "").split("\n"));
  const outside = textOf(page).replaceAll(/^ *```[\s\S]*?^ *```$/gm, "");
  const setIn = [...outside.matchAll(/^ {4}((?:[A-Z_]+=\S+ )*(?:\.\/run|sourcebound|node) .*)$/gm)].map(([, line = ""]) => line);
  return [...fenced, ...setIn].map((line) => line.trim()).filter((line) => line !== "");
}

/** Commands that stand in the sentences of a page. */
export function inlineCommands(page: string): string[] {
  const outside = textOf(page).replaceAll(/^ *```[\s\S]*?^ *```$/gm, "");
  return [...outside.matchAll(/`((?:\.\/run|sourcebound) [^`\n]+)`/g)].map(([, text = ""]) => text);
}

/** A line without its comment. */
export function withoutComment(line: string): string {
  return line.replace(/\s+#\s.*$/, "");
}

/** Words of a command line as a shell splits them; quotes hold words together. */
export function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, bare]) => double ?? single ?? bare ?? "");
}

/** Settings of the environment before a command, and its words. */
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
