import { createHash, generateKeyPairSync } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson, parseUnambiguousJson } from "./canonical-json.ts";
import { merkleTree, rootOf } from "./merkle.ts";
import { createProofKey, isSignedBy, publicPem, readPrivateKey, readPublicKey, signStatement } from "./signature.ts";

/** Computes the root literally by the definition in RFC 6962, section 2.1. */
function textbookRoot(leaves: readonly string[]): Buffer {
  const hash = (...parts: (string | Uint8Array)[]) => parts.reduce((h, part) => h.update(part), createHash("sha256")).digest();
  if (leaves.length === 0) return hash("");
  if (leaves.length === 1) return hash(Uint8Array.of(0), leaves[0] as string);
  let k = 1;
  while (k * 2 < leaves.length) k *= 2;
  return hash(Uint8Array.of(1), textbookRoot(leaves.slice(0, k)), textbookRoot(leaves.slice(k)));
}

const leaves = (n: number) => Array.from({ length: n }, (_, i) => `leaf ${i}`);

describe("merkleTree", () => {
  it("has the root that RFC 6962 defines", () => {
    for (let n = 0; n <= 70; n++) expect(merkleTree(leaves(n)).root, `${n} leaves`).toBe(textbookRoot(leaves(n)).toString("hex"));
  });

  it("proves exactly each leaf, place and size", () => {
    for (const n of [1, 2, 3, 4, 5, 8, 13, 33]) {
      const tree = merkleTree(leaves(n));
      for (let index = 0; index < n; index++) {
        const path = tree.path(index);
        expect(rootOf(`leaf ${index}`, { index, size: n, path })).toBe(tree.root);
        expect(rootOf("another", { index, size: n, path })).not.toBe(tree.root);
        expect(rootOf(`leaf ${index}`, { index: index + 1, size: n, path })).not.toBe(tree.root);
        expect(rootOf(`leaf ${index}`, { index, size: n, path: [...path, tree.root] })).toBeNull();
        if (n > 1) expect(rootOf(`leaf ${index}`, { index, size: n, path: path.slice(1) })).not.toBe(tree.root);
      }
    }
  });

  it("does not accept an inner node as a leaf", () => {
    const { root } = merkleTree(["a", "b"]);
    const inner = merkleTree(["a"]).root + merkleTree(["b"]).root;
    expect(merkleTree([Buffer.from(inner, "hex").toString("latin1")]).root).not.toBe(root);
  });
});

const key = readPrivateKey(createProofKey());
const shown = readPublicKey(publicPem(key));

describe("signStatement", () => {
  it("verifies with the public key alone, for exactly the signed text", () => {
    const signature = signStatement("statement", key);
    expect(isSignedBy("statement", signature, shown)).toBe(true);
    expect(isSignedBy("statement ", signature, shown)).toBe(false);
    expect(isSignedBy("statement", signature, readPrivateKey(createProofKey()))).toBe(false);
  });

  it("has one form: no other encoding of the same bytes, no other key id", () => {
    const { value, ...rest } = signStatement("statement", key);
    const last = value.at(-3) as string;
    const twin = String.fromCharCode(last.charCodeAt(0) + 1);
    const spellings = [
      `${value}=`,
      `${value} `,
      value.replace(/==$/, ""),
      value.replaceAll("+", "-"),
      `${value.slice(0, -3)}${twin}==`,
      "",
    ];
    for (const other of spellings)
      if (other !== value) expect(isSignedBy("statement", { ...rest, value: other }, shown), other).toBe(false);
    expect(isSignedBy("statement", { ...rest, value, key_id: "0".repeat(64) }, shown)).toBe(false);
  });
});

describe("readPublicKey", () => {
  it("says what to give instead of an invalid Ed25519 public key", () => {
    const rsa = generateKeyPairSync("rsa", { modulusLength: 1024 }).publicKey.export({ type: "spki", format: "pem" }).toString();
    expect(() => readPublicKey(createProofKey())).toThrow("Use the public key");
    expect(() => readPublicKey(rsa)).toThrow("Ed25519");
    for (const text of ["", "hello", "-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----"])
      expect(() => readPublicKey(text)).toThrow("Ed25519");
  });
});

describe("canonicalJson", () => {
  it("equals the example of RFC 8785, section 3.2.3", () => {
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

  it("is independent of the order of keys, and parses back", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
    );
  });

  it("rejects values that JSON cannot represent", () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, () => 1, 1n, Symbol("s"), [undefined]])
      expect(() => canonicalJson(value)).toThrow(TypeError);
  });
});

describe("parseUnambiguousJson", () => {
  it("equals JSON.parse for valid input", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(parseUnambiguousJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it("rejects a repeated key, at any depth and in any spelling", () => {
    for (const text of ['{"a":1,"a":2}', '[{"b":{"a" : 1, "a":1}}]', '{"a":1,"\\u0061":2}', '{"__proto__":1,"__proto__":2}'])
      expect(() => parseUnambiguousJson(text)).toThrow("twice");
    expect(parseUnambiguousJson('{"a":"\\": \\"a\\":", "b":["a:", ":"]}')).toEqual({ a: '": "a":', b: ["a:", ":"] });
  });

  it("parses a string of millions of characters", () => {
    const text = JSON.stringify({ a: "x\\".repeat(1_000_000) });
    expect(parseUnambiguousJson(text)).toEqual(JSON.parse(text));
  });
});
