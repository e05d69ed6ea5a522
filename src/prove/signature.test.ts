import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createProofKey, isSignedBy, publicPem, readPrivateKey, readPublicKey, signStatement } from "./signature.ts";

const key = readPrivateKey(createProofKey());
const shown = readPublicKey(publicPem(key));

describe("signStatement", () => {
  it("is verified with the public key alone, over exactly what was signed", () => {
    const signature = signStatement("statement", key);
    expect(isSignedBy("statement", signature, shown)).toBe(true);
    expect(isSignedBy("statement ", signature, shown)).toBe(false);
    expect(isSignedBy("statement", signature, readPrivateKey(createProofKey()))).toBe(false);
  });

  it("is one text only: no other spelling of the same bytes, no other key id", () => {
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
  it("says what to give instead of what is no public key of Ed25519", () => {
    const rsa = generateKeyPairSync("rsa", { modulusLength: 1024 }).publicKey.export({ type: "spki", format: "pem" }).toString();
    expect(() => readPublicKey(createProofKey())).toThrow("give the public one");
    expect(() => readPublicKey(rsa)).toThrow("Ed25519");
    for (const text of ["", "hello", "-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----"])
      expect(() => readPublicKey(text)).toThrow("Ed25519");
  });
});
