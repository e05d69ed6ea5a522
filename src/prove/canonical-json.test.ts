import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson, parseUnambiguousJson } from "./canonical-json.ts";

describe("canonicalJson", () => {
  it("writes the example of RFC 8785, section 3.2.3, in its order", () => {
    const value = {
      "\u20ac": "Euro Sign",
      "\r": "Carriage Return",
      "\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One",
      "\u0080": "Control",
    };
    expect(Object.keys(JSON.parse(canonicalJson(value)) as object)).toEqual(["1", "\r", "\u0080", "\u20ac", "\ufb33"]);
    expect(canonicalJson([1 / 3, 1e30, 4.5, 2e-3, 1e-27])).toBe("[0.3333333333333333,1e+30,4.5,0.002,1e-27]");
  });

  it("is the same whatever the order of keys, and is what JSON parses to", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
    );
  });

  it("refuses what JSON cannot say", () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, () => 1, 1n, Symbol("s"), [undefined]])
      expect(() => canonicalJson(value)).toThrow(TypeError);
  });
});

describe("parseUnambiguousJson", () => {
  it("parses what JSON.parse parses", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(parseUnambiguousJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it("refuses an object that names a key twice, however deep and however it is written", () => {
    for (const text of ['{"a":1,"a":2}', '[{"b":{"a" : 1, "a":1}}]', '{"a":1,"\\u0061":2}', '{"__proto__":1,"__proto__":2}'])
      expect(() => parseUnambiguousJson(text)).toThrow("twice");
    expect(parseUnambiguousJson('{"a":"\\": \\"a\\":", "b":["a:", ":"]}')).toEqual({ a: '": "a":', b: ["a:", ":"] });
  });

  it("reads a string of millions of characters", () => {
    const text = JSON.stringify({ a: "x\\".repeat(1_000_000) });
    expect(parseUnambiguousJson(text)).toEqual(JSON.parse(text));
  });
});
