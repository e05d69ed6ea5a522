import { createHmac } from "node:crypto";
import { normalizeQuestion } from "./normalize-question.ts";

/** HMAC-SHA-256 (hex) of facts of one kind; without the secret of the installation nobody can try out what it stands for. */
export function keyedHash(secret: string, kind: string, ...facts: readonly unknown[]): string {
  return createHmac("sha256", secret)
    .update(JSON.stringify([kind, ...facts]))
    .digest("hex");
}

/** What a question is counted and forgotten by. */
export function questionHash(secret: string, domain: string, question: string): string {
  return keyedHash(secret, "question", domain, normalizeQuestion(question));
}
