import { type Compilable, type CompiledQuery, type Kysely, type RawBuilder, sql } from "kysely";
import type { Database } from "./schema.ts";

/** A named placeholder in a prepared query. */
class Slot {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** Creates a placeholder for a named value. */
export type Given<Values> = <Name extends keyof Values & string>(name: Name) => RawBuilder<Values[Name]>;

type Runner = Pick<Kysely<Database>, "executeQuery">;

/**
 * Compiles a query once: compiling takes longer than executing it, and questions wait for both.
 * @param build runs once, at the first use
 * @returns a function that executes the query with values, inside or outside a transaction
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

/** Prepares a query over a list of texts, once per length of the list. */
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

/** Rows of the longest statement of `prepareRows`, a power of two. */
const MOST_ROWS = 32;

/**
 * Prepares an insert of any number of rows with equal column order, split into statements of 32, 16, … rows, so that few statements
 * are compiled.
 * @param build runs once per statement size; its statement takes the values of the rows in order, and no others
 * @returns a function that inserts rows and returns the statements' results
 * @throws Error if a statement takes other values, which would shift later rows into wrong columns
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
        const parameters: unknown[] = part.flatMap((row) => Object.values(row));
        const compiled = known.get(size) ?? compileRows(build(part), parameters);
        known.set(size, compiled);
        results.push(...(await db.executeQuery<Result>({ ...compiled, parameters })).rows);
      }
    }
    return results;
  };
}

function compileRows<Result>(query: Compilable<Result>, values: readonly unknown[]): CompiledQuery<Result> {
  const compiled = query.compile();
  const { parameters, sql: text } = compiled;
  if (parameters.length !== values.length || parameters.some((one, i) => one !== values[i]))
    throw new Error(`a statement over rows takes their values in their order, and nothing else: ${text}`);
  return compiled;
}
