import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatRoute, LINKED_QUOTE_CHARACTERS, parseRoute, type Route } from "./route.ts";

const text = fc.string({ unit: "binary", minLength: 1 }).filter((one) => one.isWellFormed());
const optional = fc.option(text, { nil: null });
const range = fc
  .tuple(fc.nat(1e9), fc.nat(1e6))
  .map(([start, length]) => ({ start: start as number | null, end: (start + length + 1) as number | null }));
const route: fc.Arbitrary<Route> = fc.oneof(
  fc.constantFrom<Route>({ room: "ask" }, { room: "monitor" }, { room: "review", id: null }),
  text.map((id): Route => ({ room: "answer", id })),
  text.map((id): Route => ({ room: "why", id })),
  text.map((id): Route => ({ room: "review", id })),
  fc
    .record({
      document: text,
      at: fc.option(range, { nil: { start: null, end: null } }),
      version: optional,
      domain: optional,
      tenant: optional,
    })
    .map(({ at, ...rest }): Route => ({ room: "read", quote: null, ...at, ...rest })),
);

describe("routes", () => {
  it("are restored from their address, with any text", () => {
    fc.assert(
      fc.property(route, (one) => {
        expect(parseRoute(formatRoute(one))).toEqual(one);
      }),
    );
  });

  it("shorten a quote that would make an address too long", () => {
    const place = { document: "d", start: 1, end: 2, version: null, quote: "x".repeat(5000), domain: null, tenant: null };
    const read = parseRoute(formatRoute({ room: "read", ...place }));
    expect(read).toMatchObject({ quote: "x".repeat(LINKED_QUOTE_CHARACTERS) });
  });

  it("default to the first view if they are invalid", () => {
    for (const hash of ["", "#", "#/", "#/nothing", "#/answer/", "#/answer/%E0%A4%A", "#/read", "#//x", "#/why", "#/__proto__"])
      expect(parseRoute(hash)).toEqual({ room: "ask" });
    for (const at of ["5-5", "9-2", "x-y", "-1-4", "1-99999999999999"])
      expect(parseRoute(`#/read/d?at=${at}`)).toMatchObject({ room: "read", document: "d", start: null, end: null });
  });
});
