import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { makeReport, type TableRow } from "../../src/grading/report.ts";
import { createEngine, loadProcessConfig } from "../../src/index.ts";
import { PACKAGE_ROOT } from "../../src/package.ts";
import { embeddedIn } from "../../src/shared/config.ts";
import type { Benchmark } from "../commands/bench.ts";
import { circlesOf, stepsFrom } from "./house/import-graph.ts";
import { readSources, type SourceFile } from "./house/source-files.ts";
import { filesVisited } from "./house/visited-files.ts";

/** Maximum function length in lines. */
const LONG = 60;
/** Target for the number of files a person has to open to follow one answer. */
const TARGET = 40;
const START = "src/answer.ts";
const ROOMS = ["src", "web", "lab"];
/** General-purpose folders that a person opens only in case of doubt. */
const TOOLS = /^src\/(?:text|language|cross-encoder|models|store|retrieval)\//;

/** Measures the code base: long files and functions, import cycles, and the files that run for one answer. */
export const benchmark: Benchmark = {
  description: "the house: files, long functions, circles, and files that run for one answer",
  async run(_, progress) {
    progress("reading the sources");
    const files = new Map(ROOMS.map((room) => [room, readSources(PACKAGE_ROOT, room)]));
    const tests = [...ROOMS, "test"].flatMap((room) => readSources(PACKAGE_ROOT, room, true));
    const all = [...files.values()].flat();
    const loose = readdirSync(join(PACKAGE_ROOT, "src"), { withFileTypes: true }).filter((entry) => entry.isFile()).length;
    const [longest] = [...all].sort((a, b) => b.lines - a.lines);
    const long = all.flatMap((file) => file.functions.filter(({ lines }) => lines > LONG).map((one) => ({ file: file.path, ...one })));
    const circles = circlesOf(all);
    progress("asking one question");
    const visited = await visitedByOneAnswer();
    const steps = stepsFrom(START, files.get("src") ?? [], visited);
    const stages = [...steps.keys()].filter((path) => !TOOLS.test(path));
    const metrics = {
      loose,
      longest_file: longest?.lines ?? 0,
      ...Object.fromEntries(
        ROOMS.map((room) => [`functions_over_${LONG}.${room}`, long.filter(({ file }) => file.startsWith(`${room}/`)).length]),
      ),
      circles: circles.length,
      ...Object.fromEntries(ROOMS.map((room) => [`lines.${room}`, linesOf(files.get(room) ?? [])])),
      "lines.tests": linesOf(tests),
      "answer.files_run": visited.size,
      "answer.reached": steps.size,
      "answer.stages": stages.length,
    };
    const items = [...long, ...[...steps].map(([path, step]) => ({ file: path, step }))];
    const report = makeReport({ name: "house", command: "bench house", n: { files: all.length }, metrics, items });
    return { report, table: tableOf(metrics, { longest: longest?.path ?? "", steps }) };
  },
};

function linesOf(files: readonly SourceFile[]): number {
  return files.reduce((sum, { lines }) => sum + lines, 0);
}

/** Returns the files of `src/` that run for a demo question, after another question has triggered all one-time loading. */
async function visitedByOneAnswer(): Promise<Set<string>> {
  const dataDir = mkdtempSync(join(tmpdir(), "sourcebound-house-"));
  const engine = await createEngine(embeddedIn(loadProcessConfig({ data_dir: dataDir, domain: "veterans" }), dataDir));
  try {
    for await (const event of engine.ingestDomain("veterans")) if (event.type === "file-failed") throw new Error(JSON.stringify(event));
    const [first = "", second = ""] = engine.domain("veterans").examples;
    await engine.answer(first);
    const paths = await filesVisited(async () => {
      const { status } = await engine.answer(second);
      if (status !== "ok") throw new Error(`"${second}" is refused: what is followed would be no answer`);
    });
    return new Set([...paths].map(sourceOf).filter((path) => path.startsWith("src/")));
  } finally {
    await engine.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Maps a source path or a build output path to the source path relative to the package root. */
function sourceOf(path: string): string {
  return relative(PACKAGE_ROOT, path)
    .replace(/^dist\//, "")
    .replace(/\.js$/, ".ts");
}

function tableOf(
  metrics: Readonly<Record<string, number>>,
  { longest, steps }: { readonly longest: string; readonly steps: ReadonlyMap<string, number> },
): TableRow[] {
  const row = (name: string, key: string, note = ""): TableRow => ({ name, figure: (metrics[key] ?? 0).toLocaleString("en"), note });
  const furthest = Math.max(...steps.values());
  const perStep = Array.from({ length: furthest + 1 }, (_, i) => [...steps.values()].filter((step) => step === i).length);
  return [
    row("files loose in src/", "loose", "10 at most"),
    row("lines of the longest file", "longest_file", longest),
    ...ROOMS.map((room) => row(`functions over ${LONG} lines, ${room}`, `functions_over_${LONG}.${room}`)),
    row("circles of imports, types included", "circles"),
    ...[...ROOMS, "tests"].map((room) => row(`lines, ${room}`, `lines.${room}`)),
    row("files that run for one answer", "answer.files_run"),
    row(`of these reached from ${START}`, "answer.reached", `by steps of imports: ${perStep.join(", ")}`),
    row("of these stages and what they decide by", "answer.stages", `aim ${TARGET}; the others are tools: text, language, models, store`),
  ];
}
