import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderOfTest } from "../../../test/support/folders.ts";
import { MAX_FILE_BYTES } from "../../ingest/limits.ts";
import { loadDomain } from "../domain.ts";
import { readFolder } from "./check-pack.ts";
import { proposePack, writePack } from "./propose-pack.ts";

const here = folderOfTest();

const signal = new AbortController().signal;

async function read(files: Readonly<Record<string, string>>) {
  const folder = join(here.folder, "papers");
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return readFolder(folder, { root: folder, maxFileBytes: MAX_FILE_BYTES, signal });
}

const HARBOUR = {
  "index.md":
    "---\ntitle: Harbour handbook\ndescription: For boats and crews.\nurl: https://help.harbour.example/start\n---\n\n# Start\n\nWelcome.\n",
  "moorings/fees.md":
    "# Fees\n\n## What does a mooring cost?\n\nA mooring is asked for with form HB-10 at the Harbour Master Office (HMO). Each mooring has a buoy, and a mooring fee is due.\n",
  "moorings/rules.md":
    "# Rules\n\nForm HB-22 releases a mooring. Boats of the Blue Fleet use any buoy, and the Blue Fleet pays nothing. Ask the Blue Fleet captain in July.\n",
  "kitchen/menu.md": "# Menu\n\n## Soups\n\nThe kitchen serves chowder. The chowder has clams, and chowder is served on Friday.\n",
};

describe("proposePack", () => {
  it("proposes title, topics, terms and hosts from the documents", async () => {
    const { documents } = await read(HARBOUR);
    const pack = proposePack("harbour", documents, "../papers");
    expect(pack).toMatchObject({
      name: "harbour",
      title: "Harbour handbook",
      description: "For boats and crews.",
      hosts: ["help.harbour.example"],
      abbreviations: { HMO: ["harbour master office"] },
    });
    expect(pack.topics.map(({ slug }) => slug)).toEqual(["kitchen", "moorings"]);
    expect(pack.topics[0]?.keywords).toContain("chowder");
    expect(pack.topics[1]?.keywords).not.toContain("chowder");
  });

  it("proposes little from few documents, whatever their titles and addresses", async () => {
    const { documents, failed } = await read({
      "a.md": "",
      "日本.md": '# 料金 {{x}} "y": [z]\n\n一日百円。\n',
      "b.md": "---\nurl: not an address\n---\nshort",
      "c.json": "{",
    });
    const pack = proposePack("odd-one", documents, ".");
    expect(pack.title).toBe("Odd one");
    expect(pack.hosts).toEqual([]);
    expect(failed.map(({ path }) => path)).toEqual(["c.json"]);
    writePack(join(here.folder, "domains"), pack, [["kidney", "renal"]]);
    const written = loadDomain("odd-one", join(here.folder, "domains"));
    // Similar words are proposed as comments, and a person decides about them.
    expect([written.name, written.synonyms]).toEqual(["odd-one", []]);
    const text = readFileSync(join(here.folder, "domains", "odd-one", "domain.yaml"), "utf8");
    writeFileSync(join(here.folder, "domains", "odd-one", "domain.yaml"), text.replace("# synonyms:", "synonyms:").replace("#   -", "  -"));
    expect(loadDomain("odd-one", join(here.folder, "domains")).synonyms).toEqual([["kidney", "renal"]]);
  });
});
