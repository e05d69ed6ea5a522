import { isAlias, isMap, isScalar, isSeq, type Node, type ParsedNode } from "yaml";
import { IngestError } from "../../shared/errors.ts";
import type { SourceMapData } from "../../shared/types.ts";
import { composeYaml, MAX_YAML_DEPTH } from "../../text/compose-yaml.ts";
import { textFormat } from "./format.ts";
import type { FormatResult } from "./parsed.ts";
import { documentsOfValue, type ScalarValue, type SourceValue } from "./records.ts";
/** Reads YAML. References (`*name`) stay as written, without repeating their target. */
export const yamlFormat = textFormat("yaml", [".yaml", ".yml"], 6, parseYaml);

export function parseYaml(source: string, name: string): FormatResult[] {
  const { documents, lines } = composeYaml(source, { uniqueKeys: false });
  for (const { errors } of documents) {
    const [error] = errors;
    if (error === undefined) continue;
    const { line } = lines.linePos(error.pos[0]);
    const message = `line ${line}: not valid YAML (${error.message.split("\n")[0]}): correct it there`;
    throw new IngestError("bad_yaml", message, { line }, { cause: error });
  }
  const values = documents.flatMap(({ contents }) => (contents === null ? [] : [toValue(source, contents, 0)]));
  const [only] = values;
  const root: SourceValue =
    only !== undefined && values.length === 1 ? only : { type: "list", items: values, start: 0, end: source.length };
  return documentsOfValue(source, root, name);
}

function toValue(source: string, node: ParsedNode | Node, depth: number): SourceValue {
  const [start, end] = node.range ?? [0, 0, 0];
  if (depth > MAX_YAML_DEPTH)
    throw new IngestError("too_deep", `values are nested more than ${MAX_YAML_DEPTH} levels deep at character ${start}`, { at: start });
  if (isSeq(node)) return { type: "list", start, end, items: node.items.map((item) => toValue(source, item as ParsedNode, depth + 1)) };
  if (isMap(node)) {
    const fields = node.items.map(({ key, value }) => {
      const name = toValue(source, key as ParsedNode, depth + 1);
      const scalar: ScalarValue = name.type === "scalar" ? name : asWritten(source, name.start, name.end);
      return [
        scalar,
        value === null ? asWritten(source, scalar.end, scalar.end) : toValue(source, value as ParsedNode, depth + 1),
      ] as const;
    });
    return { type: "record", start, end, fields };
  }
  if (isAlias(node) || !isScalar(node)) return asWritten(source, start, end);
  const isText = typeof node.value === "string";
  const text = node.value === null ? "" : isText ? String(node.value) : source.slice(start, end).trim();
  return { type: "scalar", text, isText, start, end, map: mapOfLines(source, text, start, end) };
}

function asWritten(source: string, start: number, end: number): ScalarValue {
  const text = source.slice(start, end);
  return { type: "scalar", text, isText: true, start, end, map: text === "" ? [] : [0, text.length, start, end] };
}

/** Maps text line by line to the source; as a whole if the source has a line in another form. */
function mapOfLines(source: string, text: string, start: number, end: number): SourceMapData {
  const map: number[] = [];
  let from = start;
  let out = 0;
  for (const line of text.split("\n")) {
    const at = line === "" ? from : source.indexOf(line, from);
    if (at < 0 || at + line.length > end) return text === "" ? [] : [0, text.length, start, end];
    if (out > 0) map.push(out - 1, out, Math.min(from, at), Math.max(from + 1, at));
    if (line !== "") map.push(out, out + line.length, at, at + line.length);
    out += line.length + 1;
    from = at + line.length;
  }
  return map;
}
