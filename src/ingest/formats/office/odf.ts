import { IngestError } from "../../../shared/errors.ts";
import { memoised } from "../../../text/memo.ts";
import type { OrdinalForm } from "../ordinal.ts";
import { oneLine } from "../parsed.ts";
import { unpackZip } from "../zip.ts";
import { descendants, elementsOf, firstOf, partOf, partText, prefixed, textOf, type XmlElement } from "./xml.ts";

/**
 * Unpacks an OpenDocument file. `margins` contains the distinct texts of page headers and footers.
 * @throws IngestError `encrypted`, `bad_archive`, `unpacks_too_far`, `too_deep`
 */
export function openOdf(bytes: Uint8Array) {
  const parts = unpackZip(bytes, (part) => /^(?:content|styles|meta|META-INF\/manifest)\.xml$/.test(part));
  if (partText(parts, "META-INF/manifest.xml").includes("encryption-data>"))
    throw new IngestError("encrypted", "the file has a password: save it without one");
  if (!parts.has("content.xml"))
    throw new IngestError("bad_archive", "the file is not a complete OpenDocument file (content.xml is missing): save it again");
  const [content, shared, meta] = [partOf(parts, "content.xml"), partOf(parts, "styles.xml"), partOf(parts, "meta.xml")];
  const metadata = (name: string) => oneLine(textOf(firstOf(meta, name))) || null;
  const margins = [...descendants(shared, "header", "footer", "header-left", "footer-left", "header-first", "footer-first")].map((margin) =>
    oneLine([...descendants(margin, "p", "h")].map(textOf).join(" ")),
  );
  return {
    ...{ content, styles: readOdfStyles([shared, content]), title: metadata("title"), subject: metadata("subject") },
    margins: [...new Set(margins)].filter((line) => /[\p{L}\p{N}]/u.test(line)),
  };
}

export type OdfStyles = ReturnType<typeof readOdfStyles>;

const FORMS: readonly OrdinalForm[] = ["1", "a", "A", "i", "I"];
/** Maximum number of styles in a chain of base styles. A longer chain is a loop. */
const MAX_CHAIN = 20;

function readOdfStyles(parts: readonly XmlElement[]) {
  const styles = new Map<string, XmlElement>();
  const lists = new Map<string, XmlElement>();
  for (const part of parts) {
    for (const style of descendants(part, "style", "list-style", "body")) {
      if (style.name === "style") styles.set(`${prefixed(style, "family")}/${prefixed(style, "name")}`, style);
      else if (style.name === "list-style") lists.set(prefixed(style, "name") ?? "", style);
    }
  }
  const chainOf = (key: string) => {
    const chain: XmlElement[] = [];
    const family = key.slice(0, key.indexOf("/"));
    for (let style = styles.get(key); style !== undefined && chain.length < MAX_CHAIN; ) {
      chain.push(style);
      style = styles.get(`${family}/${prefixed(style, "parent-style-name") ?? ""}`);
    }
    return chain;
  };
  const looksFor = memoised((key: string) => looksOf(chainOf(key), key.slice(key.indexOf("/") + 1)));
  return {
    looks: (family: string, name = "") => looksFor(`${family}/${name}`),
    /**
     * Returns the number format of a list level (`null` for bullets) and the first number.
     * @param level from 1
     */
    listLevel(name: string, level: number) {
      const list = lists.get(name);
      const style = elementsOf(list).find((one) => prefixed(one, "level") === String(level));
      const isNumbered = style?.name === "list-level-style-number";
      const form = isNumbered ? (FORMS.find((one) => one === prefixed(style, "num-format")) ?? null) : null;
      return { form, start: isNumbered ? Number(prefixed(style, "start-value") ?? "1") || 1 : 1 };
    },
    /** Returns the style itself, without its base styles. Its children hold properties, e.g. `presentation:visibility`. */
    properties: (family: string, name = "") => styles.get(`${family}/${name}`),
  };
}

/** Returns how a style changes the appearance of text. `names` contains its name and those of its base styles, nearest first. */
function looksOf(chain: readonly XmlElement[], name: string) {
  const lookOf = (attribute: string) => {
    for (const style of chain) {
      const properties = elementsOf(style).find((one) => one.name === "text-properties");
      const value = properties === undefined ? undefined : prefixed(properties, attribute);
      if (value !== undefined) return value;
    }
    return "";
  };
  const position = lookOf("text-position");
  const names = chain.flatMap((style) => [prefixed(style, "name") ?? "", prefixed(style, "display-name") ?? ""]);
  return {
    isBold: /^(?:bold|[6-9]00)$/.test(lookOf("font-weight")),
    isHidden: lookOf("display") === "none",
    isStruck: !["", "none"].includes(lookOf("text-line-through-style")) || !["", "none"].includes(lookOf("text-line-through-type")),
    raised: /^(?:super|[1-9])/.test(position) ? "sup" : /^(?:sub|-)/.test(position) ? "sub" : null,
    names: [name, ...names].map((one) => one.replaceAll("_20_", " ")),
  };
}
