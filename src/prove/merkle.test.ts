import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { merkleTree, rootOf } from "./merkle.ts";

/** RFC 6962, section 2.1, word for word. */
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

  it("gives every leaf a path to the root, and no other leaf, place or size", () => {
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

  it("takes no inner node for a leaf", () => {
    const { root } = merkleTree(["a", "b"]);
    const inner = merkleTree(["a"]).root + merkleTree(["b"]).root;
    expect(merkleTree([Buffer.from(inner, "hex").toString("latin1")]).root).not.toBe(root);
  });
});
