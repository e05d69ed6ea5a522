/** One line of what a server counts for Prometheus. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})? (\S+)(?: -?\d+)?$/;
const LABEL = /([A-Za-z_]\w*)="((?:[^"\\]|\\.)*)",?/g;

/** Samples of the text format of Prometheus; comments, and what is no number, are left out. */
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

/** Values of a name, together, by what a function makes of their labels. */
export function sumBy(samples: readonly Sample[], name: string, keyOf: (labels: Sample["labels"]) => string): Map<string, number> {
  const sums = new Map<string, number>();
  for (const sample of samples) {
    if (sample.name !== name) continue;
    const key = keyOf(sample.labels);
    sums.set(key, (sums.get(key) ?? 0) + sample.value);
  }
  return sums;
}
