import { IngestError, messageOf } from "../../shared/errors.ts";
import { documentPath, UNPRINTABLE } from "../../text/paths.ts";
import { extensionOf, type Format, type InnerFiles } from "./format.ts";
import type { FormatResult } from "./parsed.ts";
import { unpackZip } from "./zip.ts";

/** A file inside another file that could not be read, with the reason. */
type UnreadFile = Readonly<Record<"name" | "reason", string>>;

/**
 * Reads the files inside a container such as an archive. The name of an inner file becomes the entry id of its
 * documents. If an inner file cannot be read, it is listed in `unread`, and the others are read.
 * @throws IngestError `unpacks_too_far`
 */
export async function readInnerFiles(files: readonly { readonly name: string; readonly bytes: Uint8Array }[], inner: InnerFiles) {
  const results: FormatResult[] = [];
  const unread: UnreadFile[] = [];
  const seen = new Map<string, number>();
  for (const { name, bytes } of files) {
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    const entry = documentPath(times === 1 ? name : `${name}~${times}`);
    try {
      for (const result of await inner.read(name, bytes))
        results.push({ ...result, entryId: result.entryId === undefined ? entry : `${entry}#${result.entryId}` });
    } catch (error) {
      if (error instanceof IngestError && error.code === "unpacks_too_far") throw error;
      unread.push({ name, reason: messageOf(error) });
    }
  }
  return { results, unread };
}

/** Maximum number of files that a notice lists by name. */
const NAMED = 10;

/** Lists unread files with their reasons. */
export function describeUnread(unread: readonly UnreadFile[]): string {
  const named = unread.slice(0, NAMED).map(({ name, reason }) => `${name} (${reason})`);
  return `${named.join("; ")}${unread.length > NAMED ? `; and ${unread.length - NAMED} more` : ""}`;
}

/** Reads a ZIP archive like a folder: each file in it becomes a separate document, with its path in the archive. */
export const archiveFormat: Format = {
  name: "zip",
  extensions: [".zip"],
  version: 1,
  async read({ bytes, inner }) {
    const refused: UnreadFile[] = [];
    const parts = unpackZip(bytes, (name) => {
      if (isHidden(name)) return false;
      const refuse = (reason: string) => refused.push({ name: printable(name), reason });
      const extension = extensionOf(name);
      if (leadsOut(name)) refuse("its path points outside the archive");
      else if (extension === "" || inner.extensions.includes(extension)) return true;
      else refuse("its format is not supported");
      return false;
    });
    const files = [...parts].map(([name, content]) => ({ name: printable(name), bytes: content }));
    files.sort((a, b) => (a.name < b.name ? -1 : 1));
    const { results, unread } = await readInnerFiles(files, inner);
    const all = [...refused, ...unread];
    const [first, ...others] = results;
    if (first === undefined) {
      const reason = all.length === 0 ? "the archive is empty" : `no file in the archive could be read: ${describeUnread(all)}`;
      throw new IngestError("no_document", `${reason}. Leave the archive out, or pack documents of a supported format`);
    }
    const notice = { code: "left_out", message: `files of the archive that were not read: ${describeUnread(all)}` };
    return all.length === 0 ? results : [{ ...first, notices: [notice, ...(first.notices ?? [])] }, ...others];
  },
};

function leadsOut(name: string): boolean {
  return /^(?:[/\\]|[a-z]:)/i.test(name) || name.split(/[/\\]/).includes("..");
}

/** Returns whether the entry is a folder, a hidden file, or a file that macOS adds to archives. */
function isHidden(name: string): boolean {
  return name.endsWith("/") || name.split("/").some((part) => part === "__MACOSX" || (part.startsWith(".") && part !== ".."));
}

function printable(name: string): string {
  return name.replaceAll(UNPRINTABLE, "_");
}
