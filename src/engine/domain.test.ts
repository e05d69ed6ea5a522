import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderOfTest } from "../../test/support/folders.ts";
import { loadConfig } from "../shared/config.ts";
import { documentUrl, listDomains, loadDomain, SHIPPED_DOMAINS } from "./domain.ts";

const here = folderOfTest();

function pack(name: string, yaml: string): void {
  mkdirSync(join(here.folder, name), { recursive: true });
  writeFileSync(join(here.folder, name, "domain.yaml"), yaml);
}

const RETAIL = `name: retail
title: Shops
tenants:
  novamart:
    title: NovaMart
    access: [public, novamart]
    terms: { refund: money-back, parcel: package }
  cartwell:
    title: Cartwell
    terms: { refund: store credit }
`;

describe("loadDomain", () => {
  it("reads a pack of two lines and applies defaults", () => {
    pack("shop", "name: shop\ntitle: Shop\n");
    expect(loadDomain("shop", here.folder)).toMatchObject({
      folder: join(here.folder, "shop"),
      documents: { path: "documents", access: "public" },
      default_profile: "sourcebound",
      tenants: {},
      base_url: null,
    });
  });

  it("keeps each tenant's own words and access", () => {
    pack("retail", RETAIL);
    const { tenants } = loadDomain("retail", here.folder);
    expect(tenants.novamart).toEqual({
      title: "NovaMart",
      access: ["public", "novamart"],
      terms: { refund: "money-back", parcel: "package" },
      documents: null,
    });
    expect(tenants.cartwell).toEqual({ title: "Cartwell", access: ["public"], terms: { refund: "store credit" }, documents: null });
  });

  it("adds user packs to the bundled ones, and prefers a user pack of the same name", () => {
    pack("veterans", "name: veterans\ntitle: Ours\n");
    pack("shop", "name: shop\ntitle: Shop\n");
    expect(listDomains(here.folder)).toEqual(["book", "documents", "pharma", "retail", "shop", "veterans"]);
    expect(loadDomain("veterans", here.folder).title).toBe("Ours");
    expect(loadDomain("documents", here.folder).folder).toBe(join(SHIPPED_DOMAINS, "documents"));
  });

  it("shows people in crisis the hotlines of every country unless the pack sets its own or none", () => {
    pack("choir", "name: choir\ntitle: Choir\n");
    pack("robots", "name: robots\ntitle: Robots\nhotlines: []\n");
    const everywhere = loadDomain("documents", here.folder).hotlines;
    expect(everywhere.filter(({ crisis }) => crisis)).toHaveLength(1);
    expect(loadDomain("choir", here.folder).hotlines).toEqual(everywhere);
    expect(loadDomain("robots", here.folder).hotlines).toEqual([]);
    pack("documents", "name: documents\ntitle: Ours\n");
    expect(loadDomain("choir", here.folder).hotlines).toEqual(everywhere);
    pack("documents", "name: documents\ntitle: Ours\nhotlines: []\n");
    expect(loadDomain("choir", here.folder).hotlines).toEqual([]);
  });

  it("has no vocabulary by default", () => {
    const pack = loadDomain(loadConfig({ cwd: here.folder, env: {} }).domain);
    expect(pack).toMatchObject({ name: "documents", base_url: null, home_page: null, hosts: [], contacts: [], examples: [], synonyms: [] });
    expect(JSON.stringify({ ...pack, folder: "" })).not.toMatch(/veteran|va\.gov|838255/i);
  });

  it("suggests the nearest domain, or says that there is none", () => {
    pack("retail", RETAIL);
    expect(() => loadDomain("retial", here.folder)).toThrow(
      'Unknown domain "retial". Did you mean "retail"? Known domains: book, documents, pharma, retail, veterans.',
    );
    expect(() => loadDomain("x", join(here.folder, "nowhere"))).toThrow(
      /Known domains: book, documents, pharma, retail, veterans\. .*nowhere, does not exist/,
    );
    expect(() => loadDomain("../retail", here.folder)).toThrow(/Unknown domain "\.\.\/retail"/);
  });

  it.each([
    ["a key that does not exist", "name: d\ntitle: D\nhost: [a.org]\n", /unknown key "host"\. Did you mean "hosts"\?/],
    [
      "a key inside that does not exist",
      "name: d\ntitle: D\nhotlines:\n  - { name: A, text: B, when: [c], whem: [d] }\n",
      /hotlines\.0\.whem.*Did you mean "when"/,
    ],
    ["a hotline that nothing calls for", "name: d\ntitle: D\nhotlines:\n  - { name: A, text: B, when: [] }\n", /hotlines\.0\.when/],
    [
      "an invalid pattern",
      "name: d\ntitle: D\nentities:\n  - { type: t, patterns: ['(a'] }\n",
      /patterns\.0: is not a valid regular expression/,
    ],
    ["an unknown category", "name: d\ntitle: D\ncomplexity: { hard: [a] }\n", /complexity/],
    ["an unknown precedence", "name: d\ntitle: D\nprecedence: [older]\n", /precedence\.0/],
    ["an invalid address", "name: d\ntitle: D\nbase_url: www.a.org\n", /base_url/],
    ["an address that is no web address", "name: d\ntitle: D\nhome_page: 'javascript:alert(1)'\n", /home_page/],
    ["a host with a scheme", "name: d\ntitle: D\nhosts: ['https://a.org']\n", /hosts\.0: is not a host name/],
    ["a host with a port", "name: d\ntitle: D\nweb: { hosts: ['a.org:8080'] }\n", /web\.hosts\.0: is not a host name/],
    ["a host that is an address", "name: d\ntitle: D\nweb: { hosts: [10.0.0.1] }\n", /web\.hosts\.0: is not a host name/],
    ["a host with letters that addresses cannot have", "name: d\ntitle: D\nhosts: [bücher.example]\n", /hosts\.0.*xn--/],
    ["no title", "name: d\n", /title/],
    ["a tenant's name with spaces", "name: d\ntitle: D\ntenants: { 'Nova Mart': { title: N } }\n", /tenants/],
    ["the name of another folder", "name: other\ntitle: D\n", /name: other.*folder is named "d"/],
    ["YAML that does not parse", "name: [d\n", /could not be read/],
    ["nothing", "", /is not valid/],
  ])("rejects %s, naming file and place", (_what, yaml, words) => {
    pack("d", yaml);
    const load = () => loadDomain("d", here.folder);
    expect(load).toThrow(words);
    expect(load).toThrow(
      expect.objectContaining({ code: "domain_invalid", message: expect.stringContaining(join(here.folder, "d", "domain.yaml")) }),
    );
  });
});

describe("a term catalogue", () => {
  it.each([
    ["of an unknown tenant", "A:\n  terms: { n: a }\nB:\n  terms:\n    n: b\n    m: c\n", /terms\.yaml, line 6 .*"m"/],
    ["that is empty", "A:\n  terms: { n: a }\nB:\n  terms:\n    n: ''\n", /line 5: B\.terms\.n/],
    ["under an unknown key", "A:\n  terms: { n: a }\n  mening: x\n", /line 3: unknown key "A\.mening"\. Did you mean "meaning"/],
    ["in YAML that does not parse", "A:\n  terms: { n: a }\nB: [\n", /line 4/],
  ])("names the line of a term %s", (_what, terms, words) => {
    pack("d", "name: d\ntitle: D\ncatalogue: terms.yaml\ntenants: { n: { title: N } }\n");
    writeFileSync(join(here.folder, "d", "terms.yaml"), terms);
    expect(() => loadDomain("d", here.folder)).toThrow(words);
  });
});

describe("documentUrl", () => {
  const pack = { base_url: "https://a.org", strip_prefix: "pages/" };
  it.each([
    ["pages/b/c.md", "https://a.org/b/c/"],
    ["b/c.md", "https://a.org/b/c/"],
    ["pages/index.md", "https://a.org/"],
    ["pages/b/index.html", "https://a.org/b/"],
    ["pages/b/reindex.md", "https://a.org/b/reindex/"],
    ["pages/v1.2.md", "https://a.org/v1.2/"],
    ["pages/a b?c#d%.md", "https://a.org/a%20b%3Fc%23d%25/"],
    ["pages/ü.md", "https://a.org/%C3%BC/"],
    ["pages//x.md", "https://a.org/x/"],
    ["pages/https:%2f%2fevil.org.md", "https://a.org/https%3A%252f%252fevil.org/"],
    ["//evil.org/x.md", "https://a.org/evil.org/x/"],
    ["pages/javascript:alert(1).md", "https://a.org/javascript%3Aalert(1)/"],
  ])("gives %s the address %s", (path, url) => {
    expect(documentUrl(pack, path)).toBe(url);
  });

  it("appends to a base address with a path, with or without a final slash", () => {
    for (const base_url of ["https://a.org/docs", "https://a.org/docs/"]) {
      expect(documentUrl({ base_url, strip_prefix: "" }, "b.md")).toBe("https://a.org/docs/b/");
    }
  });

  it("never leaves the base address", () => {
    expect(documentUrl({ base_url: "https://a.org/docs", strip_prefix: "" }, "../../b.md")).toBe("https://a.org/docs/b/");
  });

  it("is null without a base address", () => {
    expect(documentUrl({ base_url: null, strip_prefix: "" }, "b.md")).toBeNull();
  });
});
