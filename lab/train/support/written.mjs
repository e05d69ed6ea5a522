import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** So many quotes of other pages stand beside the right one, in turn: an answer cites one passage or several. */
const BESIDE = [0, 0, 1, 3];
/** Of each quote: in nearly its words or in others, borne out or not. */
const FORMS = ["true_near", "true_free", "false_near", "false_free"];
/** True sentences also stand beside a quote that does not bear them out, of their own page or of another one of their collection. */
const MOVED = { true_near: ["other"], true_free: ["same", "other"] };

/**
 * Sentences of `lab/sets/written/claims.jsonl` as items of one sentence; a collection is a group. Titles and headings are evidence, as they are at run time.
 */
export function readWritten(path) {
  const rows = readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line) => (line === "" ? [] : JSON.parse(line)));
  const byCollection = Map.groupBy(rows, ({ collection }) => collection);
  return rows.flatMap((row) => {
    const collection = byCollection.get(row.collection);
    const others = collection.filter(({ page }) => page !== row.page);
    const same = collection.filter(({ page, quote }) => page === row.page && quote !== row.quote);
    return FORMS.flatMap((form) => {
      const text = row[form];
      const number = Number.parseInt(createHash("sha256").update(`${row.quote}|${text}`).digest("hex").slice(0, 8), 16);
      const beside = Array.from(
        { length: BESIDE[number % BESIDE.length] },
        (_, i) => others[(number + i * 7) % others.length]?.quote ?? "",
      );
      const at = beside.length === 0 ? 0 : number % beside.length;
      const own = itemOf(
        row,
        form,
        [...beside.slice(0, at), row.quote, ...beside.slice(at), row.title, row.heading],
        form.startsWith("true"),
      );
      const moved = (MOVED[form] ?? []).flatMap((from) => {
        const those = from === "same" ? same : others;
        const other = those[number % those.length];
        return other === undefined
          ? []
          : itemOf(row, form, [other.quote, other.title, other.heading], false, `moved_${form.slice(5)}_${from}`);
      });
      return [own, ...moved];
    });
  });
}

function itemOf({ collection, quote, ...row }, form, evidence, supported, task = form) {
  const text = row[form];
  return {
    set: "written",
    task,
    group: collection,
    id: `${quote}|${task}`,
    text,
    evidence: [...new Set(evidence.filter((part) => part !== undefined && part !== ""))],
    supported,
    units: [{ start: 0, end: text.length, supported }],
  };
}
