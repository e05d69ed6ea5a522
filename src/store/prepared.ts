import { type Compilable, type CompiledQuery, type Kysely, type QueryResult, type RawBuilder, sql } from "kysely";
import type { Database } from "./schema.ts";

/** Where a query that is built once takes what it is asked with. */
class Slot {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** Names what a query is asked with, in the place of a value. */
export type Given<Values> = <Name extends keyof Values & string>(name: Name) => RawBuilder<Values[Name]>;

type Runner = Pick<Kysely<Database>, "executeQuery">;

/**
 * A query that is built and turned into text once: on the path of a question that takes longer than the database does.
 * @param build is called at the first use, once
 * @returns runs it, in a transaction or outside of one, with the values of this time
 */
export function prepare<Values extends object, Row>(
  build: (given: Given<Values>) => Compilable<Row>,
): (db: Runner, values: Values) => Promise<Row[]> {
  let compiled: CompiledQuery<Row> | null = null;
  return async (db, values) => {
    compiled ??= build((name) => sql`${new Slot(name)}`).compile();
    const known = new Map<string, unknown>(Object.entries(values));
    const parameters = compiled.parameters.map((one) => (one instanceof Slot ? known.get(one.name) : one));
    return (await db.executeQuery<Row>({ ...compiled, parameters })).rows;
  };
}

/** The same for a query over a list of texts: built once for each length of the list. */
export function prepareList<Row>(
  build: (texts: readonly RawBuilder<string>[]) => Compilable<Row>,
): (db: Runner, texts: readonly string[]) => Promise<Row[]> {
  const byLength = new Map<number, (db: Runner, values: Readonly<Record<string, string>>) => Promise<Row[]>>();
  return (db, texts) => {
    const { length } = texts;
    const query = byLength.get(length) ?? prepare((given) => build(texts.map((_, i) => given(String(i)))));
    byLength.set(length, query);
    return query(db, Object.fromEntries(texts.entries()));
  };
}

/**
 * An insert of rows with the same columns in the same order; the order of its values is that of the columns.
 * @param build is called once for each list of columns
 */
export function prepareInsert<Row extends object>(
  build: (row: Row) => Compilable<unknown>,
): (db: Runner, row: Row) => Promise<QueryResult<unknown>> {
  const known = new Map<string, CompiledQuery<unknown>>();
  return (db, row) => {
    const columns = Object.keys(row).join();
    const values = Object.values(row);
    const before = known.get(columns);
    if (before !== undefined) return db.executeQuery({ ...before, parameters: values });
    const compiled = build(row).compile();
    // Whatever else it takes, or takes in another order, is run as it was built.
    if (compiled.parameters.length === values.length && compiled.parameters.every((one, i) => one === values[i]))
      known.set(columns, compiled);
    return db.executeQuery(compiled);
  };
}

/** Rows of the longest statement of `prepareRows`, a power of two. */
const MOST_ROWS = 32;

/**
 * The same for any number of rows that all have the same columns in the same order, in statements of 32 rows, of 16, and so on: few texts, each prepared once.
 * @param build is called once for each number of rows in a statement
 * @returns does it, and gives what the statements return
 */
export function prepareRows<Row extends object, Result = unknown>(
  build: (rows: readonly Row[]) => Compilable<Result>,
): (db: Runner, rows: readonly Row[]) => Promise<Result[]> {
  const known = new Map<number, CompiledQuery<Result>>();
  return async (db, rows) => {
    const results: Result[] = [];
    let at = 0;
    for (let size = MOST_ROWS; size > 0; size >>= 1) {
      for (; rows.length - at >= size; at += size) {
        const part = rows.slice(at, at + size);
        const compiled = known.get(size) ?? build(part).compile();
        known.set(size, compiled);
        results.push(...(await db.executeQuery<Result>({ ...compiled, parameters: part.flatMap((row) => Object.values(row)) })).rows);
      }
    }
    return results;
  };
}
