import { Composer, type CST, LineCounter, Parser } from "yaml";
import { IngestError } from "../shared/errors.ts";

/** Maximum nesting depth of lists and maps in YAML and JSON. Documents that people write are far below it. */
export const MAX_DEPTH = 200;

/**
 * Parses YAML into documents, each with its errors. The library recurses once per nesting level, so deep nesting could exhaust the stack and end the process.
 * The nesting depth of the tokens is therefore checked first.
 * @throws IngestError `too_deep` with the line
 */
export function composeYaml(source: string, { uniqueKeys = true } = {}) {
  const lines = new LineCounter();
  const tokens = shallow(new Parser(lines.addNewLine).parse(source), lines);
  return {
    documents: [...new Composer({ uniqueKeys, prettyErrors: false, logLevel: "silent" }).compose(tokens, true, source.length)],
    lines,
  };
}

function* shallow(tokens: Iterable<CST.Token>, lines: LineCounter): Generator<CST.Token, void> {
  for (const token of tokens) {
    const at = tooDeepAt(token);
    if (at !== null) {
      const { line } = lines.linePos(at);
      const message = `line ${line}: values are nested more than ${MAX_DEPTH} levels deep. Use a flatter structure`;
      throw new IngestError("too_deep", message, { line });
    }
    yield token;
  }
}

/** Returns the offset of a value that is nested deeper than `MAX_DEPTH`, or `null`. */
function tooDeepAt(token: CST.Token): number | null {
  const open: { readonly token: CST.Token; readonly depth: number }[] = [{ token, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { depth } = next;
    if (depth > MAX_DEPTH) return next.token.offset;
    for (const inner of innerOf(next.token)) open.push({ token: inner, depth: depth + 1 });
  }
  return null;
}

function innerOf(token: CST.Token): CST.Token[] {
  if (token.type === "document") return token.value === undefined ? [] : [token.value];
  if (!("items" in token)) return [];
  return token.items
    .flatMap((item) => ("value" in item || "key" in item ? [item.key, item.value] : []))
    .filter((one) => one !== null && one !== undefined);
}
