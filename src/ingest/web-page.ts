import { Readability } from "@mozilla/readability";
import JSDOMParser from "@mozilla/readability/JSDOMParser.js";
import { Parser } from "htmlparser2";
import type { FetchedPage, PageText } from "../models/web-page.ts";
import { IngestError } from "../shared/errors.ts";
import { textOf } from "./encoding.ts";
import { parseFile } from "./parse.ts";

/** Maximum elements of a page. The longest encyclopaedia pages have about 50,000. */
const MAX_ELEMENTS = 60_000;
/** Maximum element depth. Pages seldom reach 60; walking the tree is recursive. */
const MAX_DEPTH = 200;
/** Maximum characters of an attribute; the rest is cut off. */
const MAX_ATTRIBUTE = 200;
/** Maximum characters of text that are kept: about fifty pages of a book. */
const MAX_TEXT = 150_000;
/** Maximum characters of a unit; longer ones are dropped. */
const MAX_UNIT = 1200;
/** Maximum number of units that are kept. */
const MAX_UNITS = 6000;
const MAX_TITLE = 300;

/** Elements that are dropped with their contents. */
const DROPPED: ReadonlySet<string> = new Set(
  "script style template noscript svg math iframe object embed canvas audio video select textarea dialog".split(" "),
);
/** Elements whose tags are dropped, since `boundedMarkup` writes its own. */
const SKELETON: ReadonlySet<string> = new Set(["html", "head", "body", "title", "meta", "link", "base"]);
const VOID: ReadonlySet<string> = new Set("area br col hr img input source track wbr param".split(" "));
/** Attributes that Readability uses to find the main content. */
const KEPT: ReadonlySet<string> = new Set("class id role hidden style aria-hidden aria-modal itemprop rel href alt summary".split(" "));

/**
 * Extracts the main content of a web page. Runs in a thread that can be terminated: see `read-page-apart.ts`.
 * @throws IngestError `html_bomb`, and the errors of `parseFile`
 */
export function readWebPage(source: FetchedPage): PageText {
  // NUL has no meaning in a page and must not cause a refusal as binary.
  const text = textOf(
    source.bytes.filter((byte) => byte !== 0),
    source.charset,
  );
  if (source.type === "text") return partsOf("page.txt", text);
  const { markup, title } = boundedMarkup(text);
  const article = new Readability(new JSDOMParser().parse(markup, source.url), { disableJSONLD: true }).parse();
  const content = typeof article?.content === "string" ? `<body>${article.content}</body>` : markup;
  return { ...partsOf("page.html", content), title: title.slice(0, MAX_TITLE) };
}

function partsOf(path: string, content: string): PageText {
  const [page] = parseFile({ path, bytes: Buffer.from(content) });
  const text = (page?.text ?? "").slice(0, MAX_TEXT);
  const units = (page?.units ?? []).filter(({ start, end }) => end <= text.length && end - start <= MAX_UNIT).slice(0, MAX_UNITS);
  return { title: (page?.metadata.title ?? "").slice(0, MAX_TITLE), text, blocks: page?.blocks ?? [], units };
}

/**
 * Rewrites a page as well-formed markup for a small parser, without scripts, styles and forms.
 * @throws IngestError `html_bomb` at too many elements or too great a depth
 */
export function boundedMarkup(html: string): { readonly markup: string; readonly title: string } {
  const out: string[] = [];
  /** Needed because a tag cut off by the end of the page is closed without having been opened. */
  const open: string[] = [];
  let elements = 0;
  let dropping = 0;
  let inTitle = false;
  let title = "";
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (++elements > MAX_ELEMENTS) throw bomb(`more than ${MAX_ELEMENTS} elements`);
        if (open.push(name) > MAX_DEPTH) throw bomb(`elements inside each other more than ${MAX_DEPTH} deep`);
        if (DROPPED.has(name)) dropping++;
        if (dropping > 0) return;
        if (name === "title" && title === "") inTitle = true;
        if (!SKELETON.has(name)) out.push(`<${tagOf(name)}${attributesOf(attributes)}${VOID.has(name) ? "/>" : ">"}`);
      },
      onclosetag(name) {
        if (open.at(-1) !== name) return;
        open.pop();
        if (DROPPED.has(name)) dropping--;
        else if (dropping === 0 && name === "title") inTitle = false;
        else if (dropping === 0 && !SKELETON.has(name) && !VOID.has(name)) out.push(`</${tagOf(name)}>`);
      },
      ontext(text) {
        if (inTitle) title = `${title}${text}`.slice(0, MAX_TITLE);
        else if (dropping === 0) out.push(escapeMarkup(text));
      },
    },
    { decodeEntities: true },
  );
  for (let at = 0; at < html.length; at += 65_536) parser.write(html.slice(at, at + 65_536));
  parser.end();
  const name = title.replaceAll(/\s+/g, " ").trim();
  return {
    title: name,
    markup: `<html><head><title>${escapeMarkup(name)}</title></head><body>${out.join("")}</body></html>`,
  };
}

function bomb(why: string): IngestError {
  return new IngestError("html_bomb", `the page has ${why}`);
}

function tagOf(name: string): string {
  return /^[a-z][a-z0-9]*$/.test(name) ? name : "span";
}

function attributesOf(attributes: Readonly<Record<string, string>>): string {
  return Object.entries(attributes)
    .filter(([name]) => KEPT.has(name))
    .map(([name, value]) => ` ${name}="${escapeMarkup(value.slice(0, MAX_ATTRIBUTE))}"`)
    .join("");
}

function escapeMarkup(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
