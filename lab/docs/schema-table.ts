/** The part of JSON Schema that zod writes and the tables show. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly additionalProperties?: JsonSchema | boolean;
}

/**
 * A table of all keys of an object, nested ones by their path. An object whose keys need no explanation is one row, and an object that was
 * shown before refers to it.
 */
export function schemaTable(schema: JsonSchema): string {
  return markdownTable(["key", "type", "default", "meaning"], joined(rowsOf(schema, "", new Map())));
}

/** Neighbouring keys of one object that differ in nothing but their name share a row. */
function joined(rows: readonly (readonly string[])[]): string[][] {
  const kept: string[][] = [];
  for (const [key = "", ...rest] of rows) {
    const last = kept.at(-1);
    const [, parent, name] = /^`(?:(.*)\.)?([^.]+)`$/.exec(key) ?? [];
    const [, before] = /^`(?:(.*)\.)?[^.]+`/.exec(last?.[0]?.split(", ")[0] ?? "") ?? [];
    const isSame = last !== undefined && rest.at(-1) === "" && parent === before && rest.join() === last.slice(1).join();
    if (isSame) last[0] = `${last[0]}, \`${name}\``;
    else kept.push([key, ...rest]);
  }
  return kept;
}

export function markdownTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  return [heads, heads.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** Text that is safe inside a cell of a table. */
export function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}

function rowsOf(schema: JsonSchema, prefix: string, shown: Map<string, string>): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, property]) => {
    const name = prefix === "" ? key : `${prefix}.${key}`;
    const isRequired = (schema.required ?? []).includes(key) && property.default === undefined;
    const inner = insideOf(property).filter(({ schema: part }) => !isPlain(part));
    const seen = inner.map(({ schema: part }) => shown.get(JSON.stringify(part))).find((path) => path !== undefined);
    const value = property.default === undefined || inner.length > 0 ? (isRequired ? "" : "–") : `\`${JSON.stringify(property.default)}\``;
    const meaning = [property.description, seen === undefined ? undefined : `The keys of \`${seen}\`.`].filter((one) => one !== undefined);
    const row = [`\`${name}\``, cell(typeOf(property)), value, cell(meaning.join(" "))];
    if (seen !== undefined) return [row];
    for (const { schema: part, suffix } of inner) shown.set(JSON.stringify(part), `${name}${suffix}`);
    return [row, ...inner.flatMap(({ schema: part, suffix }) => rowsOf(part, `${name}${suffix}`, shown))];
  });
}

/** Objects inside an array, a map or a union. */
function insideOf(schema: JsonSchema): { schema: JsonSchema; suffix: string }[] {
  if (schema.properties !== undefined) return [{ schema, suffix: "" }];
  const options = schema.anyOf?.filter((one) => one.properties !== undefined) ?? [];
  if (options.length > 0) return options.map((option) => ({ schema: option, suffix: "" }));
  if (schema.items?.properties !== undefined) return [{ schema: schema.items, suffix: "[]" }];
  const values = schema.additionalProperties;
  return typeof values === "object" && values.properties !== undefined ? [{ schema: values, suffix: ".NAME" }] : [];
}

/** Does an object hold only values without a description or default? */
function isPlain({ properties = {} }: JsonSchema): boolean {
  return Object.values(properties).every(
    (one) => one.description === undefined && one.default === undefined && one.enum === undefined && insideOf(one).length === 0,
  );
}

function typeOf(schema: JsonSchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((one) => JSON.stringify(one)).join(", ");
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeOf))].join(" or ");
  if (schema.type === "array") return `list of ${schema.items === undefined ? "anything" : typeOf(schema.items)}`;
  if (schema.properties !== undefined && isPlain(schema)) return `{ ${Object.keys(schema.properties).join(", ")} }`;
  const values = schema.additionalProperties;
  if (typeof values === "object" && values.properties !== undefined && isPlain(values)) return `NAME → ${typeOf(values)}`;
  return typeof schema.type === "string" ? schema.type : (schema.type ?? ["anything"]).join(" or ");
}
