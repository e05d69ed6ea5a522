import { Bm25Index, DenseIndex } from "../../../src/internals.ts";
import { listPeers, loadPeer, type Peer, type Search } from "../../runs/peers.ts";
import { type Findings, grownSince, median, megabytes, memoryNow, ms, type Progress, sharedShare } from "./findings.ts";
import { createTexts, createVectors } from "./generate.ts";

/** Slow peers take seconds for each. */
const QUERIES = 20;

/** Other libraries beside ours, a query of each in turn, so that a busy machine slows all alike. */
export async function measurePeers(findings: Findings, n: number, dimensions: number, seed: number, progress: Progress): Promise<void> {
  if (n <= 0) return;
  findings.n.peers = n;
  const data = peerData(n, dimensions, seed);
  const { dense, words } = data;
  findings.table.push({
    name: `peers at ${n.toLocaleString("en")}, top 50`,
    figure: "",
    note: `× ours, a query of each in turn; memory of ours: vectors ${megabytes(dense.bytes)}, words ${megabytes(words.bytes)}; of peers what the process grew by`,
  });
  for (const file of listPeers()) {
    progress(`peer ${file}`);
    const { peer, version, reason } = await loadPeer(file);
    const key = file.replace(".mjs", "");
    if (peer === null) {
      findings.table.push({ name: `  ${key}`, figure: "not installed", note: reason });
      continue;
    }
    findings.versions[peer.package] = version;
    const name = `  ${peer.vectors === undefined ? "words" : "vectors"}: ${peer.name} ${version}`;
    try {
      const { times, build, recall } = await measurePeer(peer, data);
      const ratio = (median(times.peer) / median(times.ours)).toFixed(1);
      findings.timings[`peer.${key}.ms`] = median(times.peer);
      findings.timings[`peer.${key}.ratio`] = Number(ratio);
      findings.timings[`peer.${key}.bytes`] = build.bytes;
      const recalled = recall === null ? "" : `, recall@50 ${recall.toFixed(3)}`;
      const note = `× ${ratio} of ours ${ms(times.ours)}, built in ${(build.ms / 1000).toFixed(1)} s, + ${megabytes(build.bytes)}${recalled}`;
      findings.table.push({ name, figure: ms(times.peer), note });
    } catch (error) {
      // Some peers cannot hold so many: the others are measured all the same.
      findings.table.push({ name, figure: "failed", note: error instanceof Error ? error.message : String(error) });
    }
  }
}

/** What ours and every peer hold and are asked. */
function peerData(n: number, dimensions: number, seed: number) {
  const next = createVectors(seed, dimensions);
  const queries = Array.from({ length: QUERIES }, next);
  const rows = Array.from({ length: n }, next);
  const texts = createTexts(seed);
  const passages = Array.from({ length: n }, () => texts.passage());
  const questions = passages.slice(-QUERIES).map((passage) => texts.question(passage));
  const dense = new DenseIndex();
  for (const row of rows) dense.add(row);
  const words = new Bm25Index();
  for (const tokens of passages) words.add([{ tokens, weight: 1 }]);
  return { queries, rows, passages, questions, dense, words };
}

async function measurePeer(peer: Peer, { queries, rows, passages, questions, dense, words }: ReturnType<typeof peerData>) {
  const before = memoryNow();
  const started = performance.now();
  const build = { ms: 0, bytes: 0 };
  const built = <Search>(search: Search): Search => {
    build.ms = performance.now() - started;
    build.bytes = grownSince(before);
    return search;
  };
  const found: number[][] = [];
  if (peer.vectors === undefined) {
    const ours: Search<readonly string[]> = async (query, k) => words.search(query, k).map(({ slot }) => slot);
    return { times: await against(questions, ours, built(await peer.words?.(passages)), found), build, recall: null };
  }
  const ours: Search<Float32Array> = async (query, k) => dense.search(query, k).map(({ slot }) => slot);
  const times = await against(queries, ours, built(await peer.vectors(rows)), found);
  const exact = queries.map((query) => dense.search(query, 50).map(({ slot }) => slot));
  return { times, build, recall: sharedShare(found, exact) };
}

/** Times of a peer and of ours, a query of each in turn. What the peer found goes to `found`. */
async function against<Query>(
  queries: readonly Query[],
  ours: Search<Query>,
  peer: Search<Query> | undefined,
  found: number[][],
): Promise<{ ours: number[]; peer: number[] }> {
  if (peer === undefined) throw new TypeError("A peer exports vectors or words.");
  const times = { ours: [] as number[], peer: [] as number[] };
  for (const query of queries.slice(0, 5)) {
    await ours(query, 50);
    await peer(query, 50);
  }
  for (const query of queries) {
    const first = performance.now();
    await ours(query, 50);
    const second = performance.now();
    found.push(await peer(query, 50));
    times.ours.push(second - first);
    times.peer.push(performance.now() - second);
  }
  return times;
}
