import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto";
import { messageOf, RequestError } from "../shared/errors.ts";
import { sha256Hex } from "../text/hash.ts";
import type { Proof } from "./proof.ts";

/** Prefix of the signed bytes, so that a signature made with the same key for another purpose is not valid for a proof. */
const PURPOSE = "sourcebound-proof-1\n";
const SIGNATURE_BYTES = 64;

/** Returns a new private key as PEM (PKCS #8). */
export function createProofKey(): string {
  return generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

/** @throws RequestError `proof_key_invalid` */
export function readPrivateKey(pem: string): KeyObject {
  return asEd25519(() => createPrivateKey(pem), "a private key (PEM, PKCS #8)");
}

/** @throws RequestError `proof_key_invalid` */
export function readPublicKey(pem: string): KeyObject {
  if (pem.includes("PRIVATE KEY")) {
    throw new RequestError("proof_key_invalid", "This is a private key. Use the public key, which `sourcebound prove key` prints.");
  }
  return asEd25519(() => createPublicKey(pem), "a public key (PEM)");
}

function asEd25519(read: () => KeyObject, what: string): KeyObject {
  try {
    const key = read();
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch (cause) {
    const message = `The key cannot be read (${messageOf(cause)}). Use ${what} of type Ed25519.`;
    throw new RequestError("proof_key_invalid", message, {}, { cause });
  }
  throw new RequestError("proof_key_invalid", `The key is not an Ed25519 key. Use ${what} of type Ed25519.`);
}

/** Returns the public key as PEM (SubjectPublicKeyInfo). */
export function publicPem(key: KeyObject): string {
  return publicOf(key).export({ type: "spki", format: "pem" }).toString();
}

/** Returns the id of a key: SHA-256 (hex) of the public key in DER form (SubjectPublicKeyInfo). */
function keyIdOf(key: KeyObject): string {
  return sha256Hex(publicOf(key).export({ type: "spki", format: "der" }));
}

function publicOf(key: KeyObject): KeyObject {
  return key.type === "private" ? createPublicKey(key) : key;
}

/** Signs a statement in canonical JSON with Ed25519 (RFC 8032). */
export function signStatement(statement: string, key: KeyObject): Proof["signature"] {
  return { algorithm: "Ed25519", key_id: keyIdOf(key), value: sign(null, Buffer.from(PURPOSE + statement), key).toString("base64") };
}

/** Returns whether the key signed exactly this statement. A signature in another than the canonical base64 form is invalid. */
export function isSignedBy(statement: string, { key_id, value }: Proof["signature"], key: KeyObject): boolean {
  const bytes = Buffer.from(value, "base64");
  if (bytes.length !== SIGNATURE_BYTES || bytes.toString("base64") !== value || key_id !== keyIdOf(key)) return false;
  return verify(null, Buffer.from(PURPOSE + statement), key, bytes);
}
