import { posix } from "node:path";
import { Parser } from "htmlparser2";
import { IngestError } from "../../../shared/errors.ts";
import type { ArchiveParts } from "../zip.ts";

/** An XML element. Its name has no namespace prefix; the names of its attributes keep their prefixes. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlNode[];
}

export type XmlNode = XmlElement | string;

/** Maximum nesting depth of elements. The functions that read them are recursive. Office programs stay below 100. */
const MAX_DEPTH = 400;

/**
 * Parses XML into a tree under a nameless root. Does not expand entities that the XML declares itself.
 * @throws IngestError `too_deep`
 */
export function readXml(xml: string): XmlElement {
  const root = { name: "", attributes: {}, children: [] as XmlNode[] };
  const open = [root];
  walkXml(xml, {
    open(name, attributes) {
      if (open.length > MAX_DEPTH)
        throw new IngestError("too_deep", `its XML has over ${MAX_DEPTH} nesting levels: save a copy from its program, or leave it out`);
      const element = { name, attributes, children: [] as XmlNode[] };
      open.at(-1)?.children.push(element);
      open.push(element);
    },
    text(text) {
      const siblings = open.at(-1)?.children ?? [];
      if (typeof siblings.at(-1) === "string") siblings.push(siblings.pop() + text);
      else siblings.push(text);
    },
    close() {
      if (open.length > 1) open.pop();
    },
  });
  return root;
}

interface XmlHandler {
  /** Called for each opening tag. Names have no prefix. */
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  text(text: string): void;
  close(name: string): void;
}

/** Parses XML in one pass. Entities that the XML declares itself are not expanded. */
export function walkXml(xml: string, { open, text, close }: XmlHandler): void {
  const local = (name: string) => name.slice(name.indexOf(":") + 1);
  const handler = {
    onopentag: (name: string, attributes: Readonly<Record<string, string>>) => open(local(name), attributes),
    ontext: text,
    onclosetag: (name: string) => close(local(name)),
  };
  new Parser(handler, { xmlMode: true, decodeEntities: true }).end(xml);
}

export function elementsOf(element: XmlElement | undefined): XmlElement[] {
  return (element?.children ?? []).filter((child) => typeof child !== "string");
}

/** Returns the value of the attribute with this local name and any prefix, such as `r:id` for `id`. */
export function prefixed({ attributes }: XmlElement, name: string): string | undefined {
  const key = Object.keys(attributes).find((one) => one.endsWith(`:${name}`));
  return key === undefined ? undefined : attributes[key];
}

/**
 * Yields the descendants with one of these names in document order, but not those inside another match. Skips
 * `Fallback` elements of Office files, which repeat the element before them for older programs.
 */
export function* descendants(element: XmlElement | undefined, ...names: readonly string[]): Generator<XmlElement> {
  for (const child of elementsOf(element)) {
    if (names.includes(child.name)) yield child;
    else if (child.name !== "Fallback") yield* descendants(child, ...names);
  }
}

export function firstOf(element: XmlElement | undefined, ...names: readonly string[]): XmlElement | undefined {
  return descendants(element, ...names).next().value;
}

/** Returns the character data of an element and its descendants. */
export function textOf(node: XmlNode | undefined): string {
  return typeof node === "string" ? node : (node?.children ?? []).map(textOf).join("");
}

/** Returns the text of a file of an archive, in UTF-8; "" if it is missing. */
export function partText(parts: ArchiveParts, part: string): string {
  return Buffer.from(parts.get(part) ?? []).toString("utf8");
}

/** Parses an XML file of an archive. If it is missing, the result is empty. */
export function partOf(parts: ArchiveParts, part: string): XmlElement {
  return readXml(partText(parts, part));
}

/**
 * Returns the files of an archive to which the file `part` refers: id of the reference → type and path. A path is only
 * looked up in the archive.
 */
export function relationsOf(parts: ArchiveParts, part: string): Map<string, { readonly type: string; readonly part: string }> {
  const folder = posix.dirname(part);
  const relations = partOf(parts, `${folder}/_rels/${posix.basename(part)}.rels`);
  return new Map(
    [...descendants(relations, "Relationship")].map(({ attributes: { Id = "", Type = "", Target = "" } }) => [
      Id,
      { type: posix.basename(Type), part: posix.join("/", Target.startsWith("/") ? "" : folder, Target).slice(1) },
    ]),
  );
}
