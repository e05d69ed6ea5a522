import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderOfTest } from "../../../test/support/folders.ts";
import { MAX_FILE_BYTES } from "../../ingest/limits.ts";
import { listDomains, loadDomain, SHIPPED_DOMAINS } from "../domain.ts";
import { checkPack } from "./check-pack.ts";

const here = folderOfTest();

const options = { maxFileBytes: MAX_FILE_BYTES, signal: new AbortController().signal };
const check = (name: string, documents?: string) => checkPack(name, { ...options, domainsDir: here.folder, documents });
const faults = async (name: string) => (await check(name)).findings.filter(({ level }) => level === "fault");

/** Copies the bundled retail pack with one file changed. */
function retailWith(file: string, replaced: string | RegExp, by: string): void {
  cpSync(join(SHIPPED_DOMAINS, "retail"), join(here.folder, "retail"), { recursive: true });
  const path = join(here.folder, "retail", file);
  const before = readFileSync(path, "utf8");
  const after = before.replace(replaced, by);
  expect(after).not.toBe(before);
  writeFileSync(path, after);
}

describe("a pack of two lines", () => {
  const of = (yaml: string) => {
    mkdirSync(join(here.folder, "few"), { recursive: true });
    writeFileSync(join(here.folder, "few/domain.yaml"), `name: few\ntitle: Few\n${yaml}`);
    return faults("few");
  };

  it("is served on the host of its own address if it lists none", async () => {
    expect(await of("base_url: https://library.example\nhome_page: https://www.library.example/desk\n")).toEqual([]);
    expect(await of("base_url: https://library.example\nhome_page: https://other.example\n")).toMatchObject([
      { check: "addresses", items: ["home_page: https://other.example"] },
    ]);
    expect(await of("base_url: https://library.example\nhosts: [other.example]\n")).toMatchObject([{ check: "addresses" }]);
  });
});

describe("the bundled packs", () => {
  it.each(listDomains())("%s has no fault", async (name) => {
    const { findings } = await checkPack(name, { ...options, domainsDir: SHIPPED_DOMAINS });
    expect(findings.filter(({ level }) => level === "fault")).toEqual([]);
  });

  it.each(["retail", "pharma"])("%s has two tenants, sixty documents and a hundred questions", async (name) => {
    const pack = loadDomain(name);
    const report = await checkPack(name, { ...options, domainsDir: SHIPPED_DOMAINS });
    expect(Object.keys(pack.tenants)).toHaveLength(2);
    expect(report.documents).toBeGreaterThanOrEqual(60);
    expect(report.questions).toBeGreaterThanOrEqual(100);
    expect(report.findings.filter(({ level }) => level === "warning")).toEqual([]);
  });

  it.each(["retail", "pharma"])("%s uses no term of another tenant in a tenant's documents", (name) => {
    const { folder, tenants } = loadDomain(name);
    const used = Object.entries(tenants).flatMap(([tenant, { documents }]) => {
      const foreign = Object.entries(tenants).flatMap(([other, { terms }]) => (other === tenant ? [] : Object.values(terms)));
      return readdirSync(join(folder, documents ?? "")).flatMap((file) => {
        const [, , body = ""] = readFileSync(join(folder, documents ?? "", file), "utf8")
          .toLowerCase()
          .split(/^---$/m);
        expect(body.length).toBeGreaterThan(200);
        return foreign.filter((term) => body.includes(term.toLowerCase())).map((term) => `${tenant}/${file}: ${term}`);
      });
    });
    expect(used).toEqual([]);
  });

  it("give each tenant the terms of the catalogue", () => {
    expect(loadDomain("retail").tenants.novamart?.terms.STOCK_CHECK).toBe("availability scan");
    expect(loadDomain("retail").tenants.shelfwise?.terms.STOCK_CHECK).toBe("stock check");
    expect(loadDomain("pharma").tenants.clinixone?.terms.DRUG_APPROVAL).toBe("formulary clearance");
  });
});

describe("checkPack", () => {
  it.each([
    ["schema", "domain.yaml", "title:", "titel:", 'unknown key "titel". Did you mean "title"?'],
    ["schema", "term-catalog.yaml", "shelfwise:", "shelfwize:", 'Did you mean "shelfwise"?'],
    ["terms", "term-catalog.yaml", "availability scan", "shelf oracle", "shelf oracle"],
    ["tenants", "domain.yaml", "tenants/novamart", "tenants/nowhere", "nowhere"],
    ["addresses", "domain.yaml", /$/, "\nhome_page: https://elsewhere.example/\n", "elsewhere.example"],
    ["golden", "golden/novamart-answerable.jsonl", "open for 30 days", "open for 31 days", "open for 31 days"],
    ["golden", "golden/novamart-answerable.jsonl", '"tenant": "novamart"', '"tenant": "shelfwise"', "novamart-a-001"],
    ["golden", "golden/shelfwise-unanswerable.jsonl", /A cracked screen is not/g, "A broken screen is not", "A broken screen"],
    ["golden", "golden/novamart-unanswerable.jsonl", '"kind"', '"kinds"', "novamart-unanswerable.jsonl:1"],
    ["calibration", "domain.yaml", /$/, "\ncalibration: none.json\n", "none.json"],
    ["profile", "domain.yaml", "default_profile: sourcebound", "default_profile: sorcebound", "sorcebound"],
    ["documents", "documents/gift-cards.md", "as_of: 2026-09-01", "as_of: soon", "gift-cards.md"],
    ["documents", "documents/accessibility.md", "type: policy", "tenant: novamart", "accessibility.md"],
  ] as const)("finds a fault of %s in %s", async (kind, file, before, after, told) => {
    retailWith(file, before, after);
    const found = await faults("retail");
    expect(found.map((one) => one.check)).toContain(kind);
    expect(JSON.stringify(found.filter((one) => one.check === kind))).toContain(JSON.stringify(told).slice(1, -1));
  });

  it.each([
    ["topics", "keywords: [gift card]", "keywords: [gift card, zeppelin]"],
    ["vocabulary", "- [points, NovaPoints]", "- [zeppelin, airship]"],
    ["vocabulary", "ID: [identity card]", "ZZ: [zeppelin zone]"],
    ["entities", "NovaHome|WiseWood", "Zeppelin"],
  ] as const)("warns of words under %s that no document contains", async (kind, before, after) => {
    retailWith("domain.yaml", before, after);
    const { findings } = await check("retail");
    expect(findings.filter(({ level }) => level !== "note").map((one) => [one.level, one.check])).toEqual([["warning", kind]]);
  });

  it("lists what a pack of two lines lacks, and checks its words against other documents", async () => {
    mkdirSync(join(here.folder, "shop"));
    writeFileSync(
      join(here.folder, "shop", "domain.yaml"),
      "name: shop\ntitle: Shop\ntopics: [{ slug: cards, name: Cards, keywords: [card] }]\n",
    );
    expect((await check("shop")).findings.map(({ level, check: kind }) => `${level} ${kind}`)).toEqual([
      "warning documents",
      "note golden",
      "note calibration",
    ]);
    const other = join(here.folder, "papers");
    mkdirSync(other);
    writeFileSync(join(other, "a.md"), "# Horses\n\nA horse eats hay.\n");
    expect((await check("shop", other)).findings.map(({ check: kind }) => kind)).toContain("topics");
  });
});
