import { describe, expect, it } from "vitest";
import type { AreaPart } from "../../shared/types.ts";
import { windowedDocument } from "../../testing/windowed-document.ts";
import { sha256Hex } from "../../text/hash.ts";
import { tokenize } from "../../text/tokens.ts";
import { FIELD_WEIGHTS } from "../indexed-windows.ts";
import { indexDefinition, innerProductOf, isIndexable, MAPPING_VERSION, routingOf, windowsOf } from "./mapping.ts";
import { filterGroups, MAX_CLAUSES } from "./queries.ts";

const scope = { domain: "d", tenant: null, access: ["public"] };

/** Counts the clauses of a query that test a field. */
function leaves(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + leaves(one), 0);
  if (typeof value !== "object" || value === null) return 0;
  return Object.entries(value).reduce((sum, [key, inner]) => sum + (["term", "terms", "range"].includes(key) ? 1 : leaves(inner)), 0);
}

describe("filterGroups", () => {
  it("splits a large area so that no query has too many clauses, and loses no range", () => {
    const ranges = (count: number) => Array.from({ length: count }, (_, i) => ({ start: i * 10, end: i * 10 + 5 }));
    const parts = new Map<string, AreaPart>([["long", { version: "v1", ranges: ranges(2_000) }]]);
    for (let i = 0; i < 500; i++) parts.set(`d${i}`, { version: null, ranges: ranges(2) });
    for (const fit of ["window", "cut"] as const) {
      const groups = filterGroups({ scope, area: { parts, fit } });
      expect(groups.length).toBeGreaterThan(3);
      for (const group of groups) expect(leaves(group)).toBeLessThanOrEqual(MAX_CLAUSES);
      const text = JSON.stringify(groups);
      for (let i = 0; i < 2_000; i++) expect(text).toContain(`{"gte":${i * 10},"lt":${i * 10 + 5},"relation":"within"}`);
    }
  });

  it("finds nothing without labels, in an empty area, or without a required term", () => {
    expect(filterGroups({ scope: { ...scope, access: [] } })).toEqual([]);
    expect(filterGroups({ scope, area: { parts: new Map(), fit: "window" } })).toEqual([]);
    expect(filterGroups({ scope, holding: [] })).toEqual([]);
  });
});

describe("mapping", () => {
  it("has a new version whenever fields or tokens change", () => {
    const tokens = tokenize(
      "The veterans' claims weren't rated 70 percent: Form 21-526EZ, 38 CFR 4.25 paid $1,200.50 on 9/11, naïve cafés",
    );
    const definition = JSON.stringify([indexDefinition({ version: 0, store: "" }, 1), FIELD_WEIGHTS, tokens]);
    // After a change, raise MAPPING_VERSION and enter the new hash.
    expect([MAPPING_VERSION, sha256Hex(definition).slice(0, 16)]).toEqual([1, "5d802dfa7987fcfc"]);
  });

  it("repeats the title's tokens, and skips empty ones", () => {
    const long = "x".repeat(256);
    const document = windowedDocument("a", ["Tinnitus pays."], { title: "Rating" });
    const [window] = [...windowsOf(document, (text) => [...tokenize(text), ""])];
    expect(window?.source).toMatchObject({ terms: "rate rate tinnitu pai", length: 4, place: { gte: 0 }, tenant: "" });
    for (const token of ["", " ", "a b", "\ud83d", long]) expect(isIndexable(token)).toBe(false);
  });

  it("routes a tenant's documents to one shard, and distributes shared ones", () => {
    expect([routingOf({ id: "a", tenant: "acme" }), routingOf({ id: "a", tenant: null })]).toEqual(["acme", "a"]);
  });

  it.each([
    [2, 1],
    [1.25, 0.25],
    [1, 0],
    [0.8, -0.25],
    [0.5, -1],
  ])("converts score %f to cosine %f", (score, cosine) => {
    expect(innerProductOf(score)).toBeCloseTo(cosine, 12);
  });
});
