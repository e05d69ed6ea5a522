import { useCallback, useEffect } from "react";
import { useAccount } from "../app/use-account.ts";
import { useLoaded } from "../app/use-loaded.ts";
import { describeStage, formatNumber } from "../format.ts";
import { formatDuration, formatTime } from "../kit/figures.ts";
import { StateLine } from "../kit/state-line.tsx";
import { Card, FigureTable } from "../kit/table.tsx";

/** A sample of a Prometheus metric. */
interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})? (\S+)(?: -?\d+)?$/;
const LABEL = /([A-Za-z_]\w*)="((?:[^"\\]|\\.)*)",?/g;

/** Parses the Prometheus text format; skips comments and values that are no finite numbers. */
export function parseMetrics(text: string): Sample[] {
  return text.split("\n").flatMap((line) => {
    const [, name, labels = "", value] = LINE.exec(line) ?? [];
    if (name === undefined || value === undefined || !Number.isFinite(Number(value))) return [];
    const read = [...labels.matchAll(LABEL)].map(([, label = "", escaped = ""]) => [label, unescaped(escaped)] as const);
    return [{ name, labels: Object.fromEntries(read), value: Number(value) }];
  });
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (_, one: string) => (one === "n" ? "\n" : one));
}

/** Sums the values of a metric, grouped by a key from the labels. */
export function sumBy(samples: readonly Sample[], name: string, keyOf: (labels: Sample["labels"]) => string): Map<string, number> {
  const sums = new Map<string, number>();
  for (const sample of samples) {
    if (sample.name !== name) continue;
    const key = keyOf(sample.labels);
    sums.set(key, (sums.get(key) ?? 0) + sample.value);
  }
  return sums;
}

/** Shows the server's counters since its start: current work, failures, calls of models and services. @param round changes when the data must reload */
export function ProcessFigures({ round }: { readonly round: number }) {
  const { api } = useAccount();
  const load = useCallback(
    async (signal: AbortSignal) => parseMetrics(new TextDecoder().decode(await api.bytes("/metrics", signal))),
    [api],
  );
  const [state, reload] = useLoaded(load);
  useEffect(() => {
    if (round > 0) reload();
  }, [round, reload]);
  return (
    <>
      <h2>The running server</h2>
      <StateLine state={state} what="the metrics" onRetry={reload} />
      {state.type === "ready" ? <Figures samples={state.value} /> : null}
    </>
  );
}

const MIB = 2 ** 20;

function Figures({ samples }: { readonly samples: readonly Sample[] }) {
  const only = (name: string) => samples.find((sample) => sample.name === name)?.value ?? null;
  const started = only("process_start_time_seconds");
  const number = (value: number | null, unit = "") => (value === null ? "unknown" : `${formatNumber(Math.round(value))}${unit}`);
  const waits = meansBy(samples, "sourcebound_queue_seconds", () => "all").get("all");
  return (
    <>
      <ul className="cards">
        <Card title="In progress" value={number(only("sourcebound_questions_running"))} />
        <Card
          title="In the queue"
          value={number(only("sourcebound_questions_waiting"))}
          note={waits === undefined ? "none has waited" : `${formatDuration(waits.mean * 1000)} on average`}
        />
        <Card title="Memory in use" value={number((only("process_resident_memory_bytes") ?? Number.NaN) / MIB, " MiB")} />
        <Card title="Running since" value={started === null ? "unknown" : formatTime(started * 1000)} />
      </ul>
      <div className="charts">
        <FigureTable
          title="Failures since start"
          columns={["Stage", "Reason", "Questions"]}
          rows={[...sumBy(samples, "sourcebound_errors_total", ({ stage = "", code = "" }) => `${stage}\n${code}`)].map(([key, count]) => {
            const [stage = "", code = ""] = key.split("\n");
            return {
              name: stage === "admission" ? "Before the first stage" : describeStage(stage),
              cells: [code.replaceAll("_", " "), formatNumber(count)],
            };
          })}
          empty="No question has failed."
        />
        <FigureTable
          title="Calls of models and services since start"
          columns={["What", "Outcome", "Calls", "Mean time"]}
          rows={[
            ...meansBy(
              samples,
              "sourcebound_provider_seconds",
              ({ kind = "", model = "", outcome = "" }) => `${kind}: ${model}\n${outcome}`,
            ),
          ].map(([key, { count, mean }]) => {
            const [name = "", outcome = ""] = key.split("\n");
            return { name, cells: [outcome.replaceAll("_", " "), formatNumber(count), formatDuration(mean * 1000)] };
          })}
          empty="No model or service was called."
        />
      </div>
    </>
  );
}

/** Returns count and mean of a histogram, grouped by a key from the labels. */
function meansBy(samples: readonly Sample[], name: string, keyOf: (labels: Sample["labels"]) => string) {
  const sums = sumBy(samples, `${name}_sum`, keyOf);
  const counted = [...sumBy(samples, `${name}_count`, keyOf)].filter(([, count]) => count > 0);
  return new Map(counted.map(([key, count]) => [key, { count, mean: (sums.get(key) ?? 0) / count }]));
}
