import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Scope } from "../types.ts";
import { ScopeFilter, scopeSees } from "./scope-filter.ts";

const owner = fc.option(
  fc.record({ tenant: fc.constantFrom(null, "acme", "other"), access: fc.constantFrom("public", "staff", "pub,lic") }),
);
const scope = fc.record({
  domain: fc.constant("d"),
  tenant: fc.constantFrom(null, "acme", "other"),
  access: fc.array(fc.constantFrom("public", "staff", "pub,lic", "none"), { maxLength: 3 }),
});

describe("ScopeFilter", () => {
  it("lets through what the predicate lets through, whatever was asked before", () => {
    fc.assert(
      fc.property(fc.array(owner, { maxLength: 100 }), fc.array(scope, { minLength: 1, maxLength: 8 }), (owners, scopes) => {
        const filter = new ScopeFilter((slot) => owners[slot] ?? null);
        for (const one of scopes) {
          const slots = filter.slotsFor(one, owners.length);
          owners.forEach((of, slot) => {
            expect(slots.has(slot)).toBe(of !== null && scopeSees(one, of));
          });
        }
      }),
    );
  });

  it("works a scope out once, in whatever order its labels come, until it is cleared", () => {
    const asked: number[] = [];
    const filter = new ScopeFilter((slot) => {
      asked.push(slot);
      return { tenant: null, access: "public" };
    });
    const of = (...access: string[]): Scope => ({ domain: "d", tenant: null, access });
    const first = filter.slotsFor(of("public", "staff"), 3);
    expect(filter.slotsFor(of("staff", "public"), 3)).toBe(first);
    expect(asked).toEqual([0, 1, 2]);
    filter.clear();
    expect(filter.slotsFor(of("public", "staff"), 4).size).toBe(4);
  });

  it("keeps no more scopes than it may, however many ask", () => {
    let asked = 0;
    const filter = new ScopeFilter(() => {
      asked++;
      return { tenant: null, access: "public" };
    });
    for (let i = 0; i < 200; i++) expect(filter.slotsFor({ domain: "d", tenant: `t${i}`, access: ["public"] }, 1).size).toBe(1);
    expect(asked).toBe(200);
    filter.slotsFor({ domain: "d", tenant: "t0", access: ["public"] }, 1);
    expect(asked).toBe(201);
  });
});
