import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

/** Rows of one kind and one split that are taken: enough for trees, few enough to measure within minutes. */
const MOST = { train: 220, dev: 60 };
/** Of the sets that people wrote, each. */
const MOST_OF_SET = { train: 120, dev: 30 };
/** A third of the rows stand among so many passages of other rows of their set, a third among so few: at run time a page has sixty quotes. */
const AMONG = [0, 1, 5];

/**
 * Claims of `lab/train/reader` as items of one sentence, a sample by hash. Rows of `begin` are left out: that set is read by itself.
 * Titles and headings are evidence, as they are at run time.
 */
export function readClaims(path) {
  const rows = gunzipSync(readFileSync(path))
    .toString("utf8")
    .split("\n")
    .flatMap((line) => (line === "" ? [] : JSON.parse(line)))
    .filter(({ set }) => set !== "begin")
    .map((row) => ({ ...row, order: createHash("sha256").update(`${row.set}|${row.evidence}|${row.claim}`).digest("hex") }))
    .sort((a, b) => (a.order < b.order ? -1 : 1));
  const counts = new Map();
  const bySet = new Map();
  const picked = rows.filter((row) => {
    const isMade = row.set.startsWith("made_");
    const key = `${isMade ? `${row.kind} ${row.form}` : row.set} ${row.label} ${row.split}`;
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    bySet.set(row.set, [...(bySet.get(row.set) ?? []).slice(-40), row]);
    return count < (isMade ? MOST : MOST_OF_SET)[row.split];
  });
  return picked.map((row, i) => {
    const number = Number.parseInt(row.order.slice(0, 8), 16);
    const neighbours = bySet.get(row.set).filter((one) => one.group !== row.group);
    const among = neighbours.slice(0, AMONG[number % AMONG.length]).map(({ evidence }) => evidence);
    const at = among.length === 0 ? 0 : number % among.length;
    const evidence = [...among.slice(0, at), row.evidence, ...among.slice(at), ...(row.head === "" ? [] : [row.head])];
    const supported = row.label === "supported";
    return {
      set: "claims",
      task: row.set.startsWith("made_") ? row.kind : row.set,
      group: `${row.set}|${row.group}`,
      id: String(i),
      split: row.split,
      weight: row.weight,
      people: !row.set.startsWith("made_"),
      text: row.claim,
      evidence,
      supported,
      units: [{ start: 0, end: row.claim.length, supported }],
    };
  });
}
