import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Scope } from "../types.ts";
import { ScopeFilter, scopeSees } from "./indexed-windows.ts";

const owner = fc.record({ tenant: fc.constantFrom(null, "acme", "other"), access: fc.constantFrom("public", "staff", "pub,lic") });
const scope = fc.record({
  domain: fc.constant("d"),
  tenant: fc.constantFrom(null, "acme", "other"),
  access: fc.array(fc.constantFrom("public", "staff", "pub,lic", "none"), { maxLength: 3 }),
});

describe("ScopeFilter", () => {
  it("lets through what the predicate lets through, whatever was asked before", () => {
    fc.assert(
      fc.property(fc.array(owner, { maxLength: 40 }), fc.array(scope, { minLength: 1, maxLength: 8 }), (owners, scopes) => {
        const documents = owners.map((document, i) => ({ document, slots: [3 * i, 3 * i + 2] }));
        const filter = new ScopeFilter(() => documents);
        for (const one of scopes) {
          const slots = filter.slotsFor(one);
          const expected = documents.filter(({ document }) => scopeSees(one, document)).flatMap((document) => document.slots);
          const found = Array.from({ length: 3 * owners.length }, (_, slot) => slot).filter((slot) => slots.has(slot));
          expect(found).toEqual(expected);
        }
      }),
    );
  });

  it("works a scope out once, in whatever order its labels come, until it is cleared", () => {
    let asked = 0;
    const documents = [{ document: { tenant: null, access: "public" }, slots: [0, 1] }];
    const filter = new ScopeFilter(() => {
      asked++;
      return documents;
    });
    const of = (...access: string[]): Scope => ({ domain: "d", tenant: null, access });
    const first = filter.slotsFor(of("public", "staff"));
    expect(filter.slotsFor(of("staff", "public"))).toBe(first);
    expect(asked).toBe(1);
    documents.push({ document: { tenant: null, access: "staff" }, slots: [2] });
    filter.clear();
    expect(filter.slotsFor(of("public", "staff")).size).toBe(3);
  });

  it("keeps no more scopes than it may, however many ask", () => {
    let asked = 0;
    const filter = new ScopeFilter(() => {
      asked++;
      return [];
    });
    const ask = (tenant: string) => filter.slotsFor({ domain: "d", tenant, access: ["public"] });
    for (let i = 0; i < 200; i++) ask(`t${i}`);
    ask("t199");
    expect(asked).toBe(200);
    ask("t0");
    expect(asked).toBe(201);
  });
});
