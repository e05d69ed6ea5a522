import { Composer, type CST, type Document, type DocumentOptions, LineCounter, type ParseOptions, Parser, type SchemaOptions } from "yaml";
import { IngestError } from "../shared/errors.ts";

/** Maximum nesting depth of lists and maps. */
export const MAX_YAML_DEPTH = 200;

type Options = Omit<ParseOptions, "lineCounter" | "prettyErrors"> & DocumentOptions & SchemaOptions;

/** Parsed YAML documents, each with its errors. */
export interface ComposedYaml {
  readonly documents: readonly Document.Parsed[];
  readonly lines: LineCounter;
}

/**
 * Parses YAML. The library recurses once per nesting level, so deep nesting could exhaust the stack and end the process.
 * The nesting depth of the tokens is therefore checked first.
 * @throws IngestError `too_deep` with the line
 */
export function composeYaml(source: string, options: Options = {}): ComposedYaml {
  const lines = new LineCounter();
  const tokens = shallow(new Parser(lines.addNewLine).parse(source), lines);
  const documents = [...new Composer({ ...options, keepSourceTokens: false, prettyErrors: false }).compose(tokens, true, source.length)];
  return { documents, lines };
}

function* shallow(tokens: Iterable<CST.Token>, lines: LineCounter): Generator<CST.Token, void> {
  for (const token of tokens) {
    const at = tooDeepAt(token);
    if (at !== null) {
      const { line } = lines.linePos(at);
      const message = `line ${line}: values are nested more than ${MAX_YAML_DEPTH} levels deep. Use a flatter structure`;
      throw new IngestError("too_deep", message, { line });
    }
    yield token;
  }
}

/** Returns the offset of a value that is nested deeper than `MAX_YAML_DEPTH`, or `null`. */
function tooDeepAt(token: CST.Token): number | null {
  const open: { readonly token: CST.Token; readonly depth: number }[] = [{ token, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { depth } = next;
    if (depth > MAX_YAML_DEPTH) return next.token.offset;
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
