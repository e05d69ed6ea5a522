import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Ask, ReadSet, SetDocument } from "../reader/ask.ts";
import type { Piece } from "../reader/documents.ts";
import { drawOf, groupOf, pick, splitOf } from "../reader/random.ts";

const schema = z.object({ table_id: z.string(), caption: z.string(), header: z.array(z.string()), rows: z.array(z.array(z.string())) });
type Table = z.infer<typeof schema>;

/** Question templates for one cell of a table: `{c}` is its column, `{k}` the key of its row. */
const ASKED = [
  "What is the {c} of {k}?",
  "What {c} does {k} have?",
  "{k} {c}",
  "{c} for {k}?",
  "Tell me the {c} for {k}.",
  "Which {c} is listed for {k}?",
  "I need the {c} of {k}",
  "Can you look up the {c} of {k} for me?",
] as const;
/** Additional templates for numeric columns. */
const ASKED_NUMBER = [
  "How many {c} does {k} have?",
  "How many {c} for {k}?",
  "how many {c} {k}",
  "How many are {c} for {k}?",
  "How many {k} are in {c}?",
] as const;
/** Templates that no single row answers: counts, sums, extremes. `{k}` is the name of the key column, `{v}` a cell of column `{c}`. */
const OF_ALL_ROWS = [
  "How many {k} have {v} as {c}?",
  "How many {k} are there with {v}?",
  "How many are {v}?",
  "What is the total {c}?",
  "What is the sum of all {c}?",
  "What is the average {c}?",
  "Which {k} has the highest {c}?",
  "Which {k} has the least {c}?",
  "What is the lowest {c}?",
  "how many {k} in {v}",
] as const;
/** Share of questions over all rows. */
const ABOUT_ALL = 0.25;
const NUMBER = /^\s*\d[\d,.]*\s*$/u;
/** Questions per table. */
const ASKED_OF_TABLE = 5;
/** Share of questions with a key of another table, which this one does not contain. */
const ABSENT = 0.25;
/** Number of rows of generated long tables, as in a database export. */
const LONG = [200, 2_500] as const;
/** Inverse of the share of tables that also get a long version. */
const LONG_OF = 3;

/** Reads tables whose cells are asked for by row key. Some get a long version with codes as keys and cells sampled from their columns. */
export function readTables(data: string): ReadSet {
  const tables = readFileSync(join(data, "tabfact/tables.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => schema.parse(JSON.parse(line)))
    .filter(({ header, rows }) => header.length > 1 && rows.length > 2);
  const long = tables.filter(({ table_id }) => drawOf(`long ${table_id}`) < 1 / LONG_OF).map(lengthened);
  const all = [...tables, ...long].map((table) => ({ table, key: keyColumn(table) }));
  const keys = all.flatMap(({ table, key }) => (key === null ? [] : table.rows.slice(0, 5).map((row) => row[key] as string)));
  const documents = all.map(({ table }): SetDocument => {
    const piece: Piece = { type: "table", key: table.table_id, rows: [table.header, ...table.rows] };
    return { id: `tables/${table.table_id}`, title: table.caption, scope: scopeOf(table), pieces: [piece] };
  });
  return { name: "tables", documents, asks: all.flatMap(({ table, key }) => (key === null ? [] : asksOf(table, key, keys))) };
}

/** Finds the first column with distinct words or codes; `null`: none. */
function keyColumn({ header, rows }: Table): number | null {
  const at = header.findIndex((_, column) => {
    const cells = rows.map((row) => (row[column] ?? "").trim().toLowerCase());
    return new Set(cells).size === cells.length && cells.every((cell) => /\p{L}/u.test(cell) && cell.length > 2 && cell.length < 40);
  });
  return at < 0 ? null : at;
}

function asksOf(table: Table, key: number, keys: readonly string[]): Ask[] {
  const group = groupOf(`tables/${table.table_id.replace("long ", "")}`);
  const columns = table.header.flatMap((name, column) => (column !== key && /\p{L}{3}/u.test(name) ? [column] : []));
  const held = new Set(table.rows.map((row) => row[key]));
  const scope = scopeOf(table);
  return Array.from({ length: Math.min(ASKED_OF_TABLE, columns.length === 0 ? 0 : table.rows.length) }, (_, i): Ask => {
    const seed = `${table.table_id} ${i}`;
    const at = Math.floor(drawOf(`row ${seed}`) * table.rows.length);
    const column = pick(columns, `column ${seed}`);
    const other = pick(keys, `other ${seed}`);
    const isOfAll = drawOf(`of all ${seed}`) < ABOUT_ALL;
    const isAbsent = !isOfAll && drawOf(`absent ${seed}`) < ABSENT && !held.has(other);
    const row = table.rows[at] as string[];
    const named = isOfAll ? (table.header[key] as string) : isAbsent ? other : (row[key] as string);
    const asked = table.rows.every((row) => NUMBER.test(row[column] ?? "")) ? [...ASKED, ...ASKED_NUMBER] : ASKED;
    const question = pick(isOfAll ? OF_ALL_ROWS : asked, `asked ${seed}`)
      .replace("{c}", () => (table.header[column] as string).toLowerCase())
      .replace("{v}", () => row[column] ?? "")
      .replace("{k}", () => named);
    const answers = !isAbsent && !isOfAll;
    const lines = [table.header, ...table.rows].map((row) => row.join(" | "));
    const line = (table.rows[at] as string[]).join(" | ");
    const start = lines.slice(0, lines.indexOf(line)).reduce((sum, { length }) => sum + length + 1, 0);
    const known = { key: table.table_id, answers, spans: answers ? [[start, start + line.length] as const] : [] };
    return {
      set: "tables",
      group,
      split: splitOf(group),
      question,
      scope,
      known: [known],
      wordings: [],
      form: answers ? "plain" : "twin",
    };
  });
}

/** Returns the scope: half of the tables, and all long ones, are searched alone, because a key often occurs in several tables. */
function scopeOf({ table_id }: Table): string | null {
  return table_id.startsWith("long ") || drawOf(`scope ${table_id}`) < 0.5 ? table_id : null;
}

/** Makes a long version of a table: a code for each row, other cells sampled from their columns. */
function lengthened({ table_id, caption, header, rows }: Table): Table {
  const [least, most] = LONG;
  const count = Math.round(least * (most / least) ** drawOf(`rows ${table_id}`));
  const letters = (seed: string, length: number) =>
    Array.from({ length }, (_, i) => String.fromCharCode(65 + Math.floor(drawOf(`${i} ${seed}`) * 26))).join("");
  const code = pick(["{l}-{n}", "{l}{n}", "{n}-{l}", "{l} {n}"] as const, `code ${table_id}`);
  const name = pick(["Number", "Code", "Item number", "Reference", "ID", "Order number", "Serial"] as const, `name ${table_id}`);
  // Sequential codes often share their letters.
  const shared = drawOf(`letters ${table_id}`) < 0.5 ? letters(table_id, 2) : null;
  const long = Array.from({ length: count }, (_, i) => [
    code.replace("{l}", shared ?? letters(`${i} ${table_id}`, 2)).replace("{n}", String(10_000 + 7 * i)),
    ...header.map((_, column) => pick(rows, `cell ${i} ${column} ${table_id}`)[column] ?? ""),
  ]);
  return { table_id: `long ${table_id}`, caption, header: [name, ...header], rows: long };
}
