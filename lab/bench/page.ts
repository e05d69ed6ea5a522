import { parseArgs } from "node:util";
import type { Browser } from "playwright-core";
import { makeReport, quantile, type TableRow } from "../../src/internals.ts";
import type { Benchmark } from "../commands/bench.ts";
import { launch } from "./page/browser.ts";
import { LIGHTHOUSE_COMMAND, type LighthouseScores, runLighthouse } from "./page/lighthouse.ts";
import {
  type FirstLoad,
  measureBook,
  measureConversation,
  measureFirstLoad,
  measureGraph,
  measurePlain,
  measurePlainLoad,
  measureStream,
  mustBeAnswered,
  type Scrolled,
  type Streamed,
} from "./page/measures.ts";
import { type ServedPage, servePage } from "./page/served.ts";

/** Questions about the demo documents. The extra one in `QUESTIONS` is refused, which has another layout. */
const ANSWERED = [
  "What is the rating for sleep apnea that requires a CPAP machine?",
  "What is the deadline for a Higher-Level Review?",
  "When did the PACT Act become law?",
  "How much is the burial allowance?",
] as const;
const QUESTIONS = [...ANSWERED, "May I park a camel at the clinic?"] as const;
const WIDTHS = [1_280, 390] as const;

/** Maximum number of long frames listed. */
const LISTED = 8;

interface Setting {
  readonly browser: Browser;
  readonly chromium: string;
  readonly served: ServedPage;
  readonly loads: number;
  readonly messages: number;
  readonly pages: number;
  readonly nodes: number;
}

interface Found {
  readonly rows: readonly TableRow[];
  readonly metrics: Readonly<Record<string, number | null>>;
  readonly items?: readonly Record<string, unknown>[];
}

const PARTS: Readonly<Record<string, (setting: Setting) => Promise<Found>>> = {
  load: firstLoads,
  stream: streams,
  conversation: async ({ browser, served: { url }, messages }) =>
    scrolled(`conversation of ${messages} messages`, "conversation", await measureConversation(browser, url, messages, ANSWERED[0])),
  plain: async ({ browser }) => scrolled("page of 1,000 plain paragraphs, for comparison", "plain", await measurePlain(browser, 1_000)),
  book: async ({ browser, served, pages }) => scrolled(`book of ${pages} pages`, "book", await measureBook(browser, served)),
  graph,
  lighthouse: scores,
};

/** Measures the page: script size, time to interactive, layout shifts, frames and Lighthouse. */
export const benchmark: Benchmark = {
  description: `the built page in Chromium (--only ${Object.keys(PARTS).join(",")}, --loads N, --messages N, --pages N of a book, --nodes N questions of a graph, --pause MS before a sentence, --chromium FILE)`,
  async run(args, progress) {
    const { values } = parseArgs({
      args: [...args],
      options: {
        only: { type: "string", default: Object.keys(PARTS).join(",") },
        loads: { type: "string", default: "5" },
        messages: { type: "string", default: "2000" },
        pages: { type: "string", default: "1000" },
        nodes: { type: "string", default: "10000" },
        pause: { type: "string", default: "700" },
        chromium: { type: "string", default: process.env.CHROMIUM ?? "/usr/bin/chromium" },
      },
    });
    const wanted = new Set(values.only.split(","));
    const counts = {
      loads: Number(values.loads),
      messages: Number(values.messages),
      pages: wanted.has("book") ? Number(values.pages) : 1,
      nodes: Number(values.nodes),
    };
    progress("reading the demo documents and a made book");
    const served = await servePage({ pauseMs: Number(values.pause), bookPages: counts.pages, questions: counts.nodes });
    const browser = await launch(values.chromium);
    const found: Found[] = [];
    try {
      for (const [name, measure] of Object.entries(PARTS)) {
        if (!wanted.has(name)) continue;
        progress(name);
        found.push(await measure({ browser, served, chromium: values.chromium, ...counts }));
      }
    } finally {
      await browser.close();
      await served.close();
    }
    const report = makeReport({
      name: "page",
      command: `bench page ${args.join(" ")}`.trim(),
      n: { ...counts, questions: QUESTIONS.length },
      metrics: Object.assign({}, ...found.map(({ metrics }) => metrics)),
      items: found.flatMap(({ items = [] }) => items),
    });
    return { report, table: found.flatMap(({ rows }) => rows) };
  },
};

async function firstLoads({ browser, served, loads }: Setting): Promise<Found> {
  const [found, plain]: [FirstLoad[], FirstLoad[]] = [[], []];
  for (let i = 0; i < loads; i++) {
    plain.push(await measurePlainLoad(browser));
    found.push(await measureFirstLoad(browser, served));
  }
  const bare = quantile(
    plain.map(({ interactiveMs }) => interactiveMs),
    0.5,
  );
  const times = found.map(({ interactiveMs }) => interactiveMs);
  const [median, slowest] = [quantile(times, 0.5), quantile(times, 1)];
  const [bytes, shift] = [found[0]?.scriptBytes ?? 0, Math.max(...found.map((one) => one.shift))];
  return {
    metrics: {
      ...{ script_bytes: bytes, interactive_ms_median: median, interactive_ms_max: slowest, load_cls: shift },
      plain_interactive_ms_median: bare,
    },
    rows: [
      { name: "script at first load, as it travels", figure: `${(bytes / 1000).toFixed(1)} kB`, note: "aim ≤ 200" },
      {
        name: "interactive at a fourth of the speed, median",
        figure: `${(median ?? 0).toFixed(0)} ms`,
        note: `${loads} loads, slowest ${(slowest ?? 0).toFixed(0)} ms; aim ≤ 1000`,
      },
      {
        name: "the same of a page of plain text that loads nothing",
        figure: `${(bare ?? 0).toFixed(0)} ms`,
        note: `in turn with the loads above; ratio ${((median ?? 0) / (bare ?? 1)).toFixed(1)}`,
      },
      { name: "CLS of the first load, worst", figure: shift.toFixed(4), note: "" },
    ],
  };
}

async function streams({ browser, served }: Setting): Promise<Found> {
  const found: Streamed[][] = [];
  for (const width of WIDTHS) found.push(await measureStream(browser, served.url, width, QUESTIONS));
  for (const { question, sentences } of found.flat()) if (ANSWERED.some((one) => one === question)) mustBeAnswered(question, sentences);
  const worst = found.map((some) => Math.max(...some.map(({ shift }) => shift)));
  return {
    metrics: Object.fromEntries(WIDTHS.map((width, i) => [`stream_cls_${width}`, worst[i] ?? null])),
    items: found.flat().map((one) => ({ ...one })),
    rows: WIDTHS.map((width, i) => ({
      name: `CLS while an answer streams, ${width} px, worst`,
      figure: (worst[i] ?? 0).toFixed(4),
      note: `${QUESTIONS.length} questions, ${(found[i] ?? []).reduce((sum, one) => sum + one.sentences, 0)} sentences; aim ≤ .02`,
    })),
  };
}

async function graph({ browser, served, nodes }: Setting): Promise<Found> {
  const { ms, longFrames } = await measureGraph(browser, served);
  const longest = Math.max(0, ...longFrames.map((one) => one.ms));
  return {
    metrics: { graph_long_frames: longFrames.length, graph_longest_frame_ms: longest },
    items: [{ part: "graph", ms, longFrames }],
    rows: [
      {
        name: `graph of ${nodes} questions: ${Object.keys(ms).join(", ")}`,
        figure: `${Object.values(ms)
          .map((one) => one.toFixed(0))
          .join(", ")} ms`,
        note: `frames over 50 ms afterwards: ${longFrames.length}, longest ${longest.toFixed(0)} ms; without reading them from the database`,
      },
    ],
  };
}

function scrolled(name: string, key: string, { frames, longestMs, longFrames, busyTasks }: Scrolled): Found {
  const longest = [...longFrames].sort((a, b) => b.ms - a.ms).slice(0, LISTED);
  const long =
    longest.length === 0
      ? ""
      : `, the longest frames ${longest.map(({ ms, scriptMs }) => `${ms.toFixed(0)} (script ${scriptMs.toFixed(0)})`).join(", ")} ms`;
  return {
    metrics: {
      ...{ [`${key}_frames`]: frames, [`${key}_long_frames`]: longFrames.length, [`${key}_longest_ms`]: longestMs },
      [`${key}_busy_tasks`]: busyTasks.length,
    },
    items: [{ part: key, longFrames, busyTasks }],
    rows: [
      {
        name: `${name}: frames over 50 ms`,
        figure: `${longFrames.length} of ${frames}`,
        note: `longest time between two frames ${longestMs.toFixed(1)} ms${long}; aim 0`,
      },
      {
        name: "  tasks over 50 ms of the processor",
        figure: String(busyTasks.length),
        note: `${busyTasks.length === 0 ? "" : `longest ${Math.max(...busyTasks).toFixed(0)} ms; `}other work of the machine does not count`,
      },
    ],
  };
}

async function scores({ served, chromium }: Setting): Promise<Found> {
  const found: [string, LighthouseScores | null][] = [];
  for (const form of ["mobile", "desktop"] as const) found.push([form, await runLighthouse(served.url, chromium, form)]);
  return {
    metrics: Object.fromEntries(
      found.flatMap(([form, one]) => Object.entries(one?.categories ?? {}).map(([name, score]) => [`lighthouse_${form}_${name}`, score])),
    ),
    items: found.map(([form, one]) => ({ form, ...one })),
    rows: found.map(([form, one]) => {
      if (one === null) return { name: `Lighthouse, ${form}`, figure: "not installed", note: LIGHTHOUSE_COMMAND };
      const [names, figures] = [Object.keys(one.categories), Object.values(one.categories)];
      return {
        name: `Lighthouse ${one.version}, ${form}`,
        figure: figures.map((score) => score?.toFixed(2) ?? "–").join(" / "),
        note: `${names.join(" / ")}; ${one.audits.join(", ")}; aim ≥ .95`,
      };
    }),
  };
}
