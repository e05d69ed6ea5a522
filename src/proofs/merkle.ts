import { createHash } from "node:crypto";

/** Prefix of hashed data. It ensures that the hash of a leaf never equals the hash of an inner node (RFC 6962, section 2.1). */
const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

/**
 * Creates a Merkle tree over texts in their order (RFC 6962). Hashes are SHA-256 in lower-case hex.
 * @example merkleTree(["a", "b", "c"]).root === rootOf("c", { index: 2, size: 3, path: merkleTree(["a", "b", "c"]).path(2) }) // true
 */
export function merkleTree(leaves: readonly string[]) {
  const levels: Buffer[][] = [leaves.map(hashLeaf)];
  for (let level = levels[0] ?? []; level.length > 1; level = levels.at(-1) ?? []) {
    const above: Buffer[] = [];
    for (let i = 0; i < level.length; i += 2) {
      const [left, right] = [level[i] as Buffer, level[i + 1]];
      above.push(right === undefined ? left : hashNode(left, right));
    }
    levels.push(above);
  }
  const root = levels.at(-1)?.[0] ?? createHash("sha256").digest();
  return {
    root: root.toString("hex"),
    /** Returns the sibling hashes on the way from a leaf to the root. */
    path(index: number): string[] {
      return levels.flatMap((level, height) => {
        const sibling = level[Math.floor(index / 2 ** height) ^ 1];
        return sibling === undefined || height === levels.length - 1 ? [] : [sibling.toString("hex")];
      });
    },
  };
}

/** Returns the root of a tree of `size` leaves with this leaf at `index`; `null` if `path` does not fit such a tree. */
export function rootOf(
  leaf: string,
  { index, size, path }: { readonly index: number; readonly size: number; readonly path: readonly string[] },
): string | null {
  if (index < 0 || index >= size) return null;
  const siblings = path.map((one) => Buffer.from(one, "hex"));
  let node = hashLeaf(leaf);
  let used = 0;
  for (let at = index, width = size; width > 1; at = Math.floor(at / 2), width = Math.ceil(width / 2)) {
    const isRight = at % 2 === 1;
    if (!isRight && at + 1 >= width) continue;
    const sibling = siblings[used++];
    if (sibling === undefined) return null;
    node = isRight ? hashNode(sibling, node) : hashNode(node, sibling);
  }
  return used === siblings.length ? node.toString("hex") : null;
}

function hashLeaf(leaf: string): Buffer {
  return createHash("sha256").update(LEAF).update(leaf).digest();
}

function hashNode(left: Buffer, right: Buffer): Buffer {
  return createHash("sha256").update(NODE).update(left).update(right).digest();
}
