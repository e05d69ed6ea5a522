import { Parser } from "htmlparser2";
import { IngestError } from "../../../shared/errors.ts";

/** An element of an XML part. Its name has no prefix; its attributes keep theirs. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlNode[];
}

export type XmlNode = XmlElement | string;

/** Maximum depth of elements. Office programs stay below 100; the readers recurse. */
const MAX_DEPTH = 400;

/**
 * Parses an XML part into a tree under a nameless root. Does not expand entities that the part declares.
 * @throws IngestError `too_deep`
 */
export function readXml(xml: string): XmlElement {
  const root = { name: "", attributes: {}, children: [] as XmlNode[] };
  const open = [root];
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (open.length > MAX_DEPTH)
          throw new IngestError("too_deep", `elements are nested more than ${MAX_DEPTH} levels deep: save it again`);
        const element = { name: localName(name), attributes, children: [] as XmlNode[] };
        open.at(-1)?.children.push(element);
        open.push(element);
      },
      ontext(text) {
        const siblings = open.at(-1)?.children ?? [];
        const last = siblings.at(-1);
        if (typeof last === "string") siblings[siblings.length - 1] = last + text;
        else siblings.push(text);
      },
      onclosetag() {
        if (open.length > 1) open.pop();
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(xml);
  return root;
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

export function elementsOf({ children }: XmlElement): XmlElement[] {
  return children.filter((child) => typeof child !== "string");
}

/** Returns the value of the attribute with this local name and any prefix, such as `r:id` for `id`. */
export function prefixed({ attributes }: XmlElement, name: string): string | undefined {
  const key = Object.keys(attributes).find((one) => one.endsWith(`:${name}`));
  return key === undefined ? undefined : attributes[key];
}

/**
 * Yields the descendants with one of these names in document order, without those inside a match. Skips the fallbacks of Office files, which
 * repeat their neighbour for older programs.
 */
export function* descendants(element: XmlElement, ...names: readonly string[]): Generator<XmlElement> {
  for (const child of elementsOf(element)) {
    if (names.includes(child.name)) yield child;
    else if (child.name !== "Fallback") yield* descendants(child, ...names);
  }
}

export function firstOf(element: XmlElement | undefined, ...names: readonly string[]): XmlElement | undefined {
  return element === undefined ? undefined : descendants(element, ...names).next().value;
}

/** Returns the character data of an element and its descendants. */
export function textOf(node: XmlNode): string {
  return typeof node === "string" ? node : node.children.map(textOf).join("");
}
