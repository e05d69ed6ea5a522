// @module-tag all/opensearch
import { rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Library, openInTest } from "./support/engine.ts";
import { connectOpenSearch, deleteIndexes, openSearchNodes, whyNoOpenSearch } from "./support/opensearch.ts";
import { rounds } from "./support/trials.ts";

const LOCKERS = 4;

/** Forwards connections to a node until it is cut off. */
class Wire {
  private readonly target: URL;
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private isCut = false;
  url = "";

  constructor(target: string) {
    this.target = new URL(target);
    this.server = createServer((from) => {
      if (this.isCut) return void from.destroy();
      const to = connect(Number(this.target.port), this.target.hostname);
      for (const socket of [from, to]) {
        this.sockets.add(socket);
        socket.on("error", () => undefined);
        socket.on("close", () => {
          this.sockets.delete(socket);
          from.destroy();
          to.destroy();
        });
      }
      from.pipe(to).pipe(from);
    });
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    const address = this.server.address();
    this.url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  }

  cut(isCut: boolean): void {
    this.isCut = isCut;
    if (isCut) for (const socket of this.sockets) socket.destroy();
  }

  close(): void {
    this.cut(true);
    this.server.close();
  }
}

describe.skipIf(whyNoOpenSearch !== null)("nodes that lose their connection while two replicas ingest and answer", () => {
  const { connection, prefix } = connectOpenSearch();
  const wires = openSearchNodes.map((node) => new Wire(node));
  beforeAll(() => Promise.all(wires.map((wire) => wire.open())));
  afterAll(() => {
    for (const wire of wires) wire.close();
  });
  afterEach(() => deleteIndexes(connection, prefix));

  it("lose nothing acknowledged, and show nothing deleted or restricted", async () => {
    const settings = {
      search: { type: "opensearch", url: wires.map(({ url }) => url), prefix, timeout_ms: 3_000 },
      "cache.enabled": false,
    };
    const first = await openInTest({ documents: { "fees.md": "# Fees\n\nParking costs 3 dollars.\n" }, settings });
    const second = await openInTest({ documents: {}, settings: { ...settings, data_dir: first.engine.config.data_dir } });
    const file = (n: number) => join(first.sandbox.folder, "documents", `item${n}.md`);
    const sentence = (n: number, round: number) => `The deposit for locker ${n} is ${round * 100 + n} dollars.`;
    /** The committed sentence about each locker; `null`: its document is deleted. */
    const committed = new Map<number, string | null>();
    const wrong: string[] = [];
    let answers = 0;
    const ask = async (library: Library, n: number) => {
      const answer = await library.ask(`What is the deposit for locker ${n}?`).catch(() => null);
      for (const { quote } of answer?.citations ?? []) {
        answers++;
        const [, about] = /locker (\d+) /.exec(quote) ?? [];
        if (about !== undefined && quote !== committed.get(Number(about))) wrong.push(quote);
      }
    };
    const count = rounds({ all: 100, usually: 16 });
    for (let round = 1; round <= count; round++) {
      const isDark = round % 4 === 0;
      for (const [i, wire] of wires.entries())
        wire.cut(isDark || (wires.length > 1 && round % 3 !== 0 && (round + i) % wires.length === 0));
      for (let n = 0; n < LOCKERS; n++) {
        const isDeleted = (round + n) % 5 === 0;
        if (isDeleted) rmSync(file(n), { force: true });
        else writeFileSync(file(n), `# Item ${n}\n\n${sentence(n, round)}\n`);
        committed.set(n, isDeleted ? null : sentence(n, round));
      }
      await first.ingest();
      const lockers = [...committed.keys()];
      await Promise.all([first, second].flatMap((library) => lockers.map((n) => ask(library, n))));
    }
    expect(wrong).toEqual([]);
    expect(answers).toBeGreaterThan(count);
    for (const wire of wires) wire.cut(false);
    for (const library of [first, second])
      await expect
        .poll(async () => {
          const answered = await Promise.all(
            [...committed.keys()].map((n) => library.ask(`What is the deposit for locker ${n}?`).catch(() => null)),
          );
          return answered.map(
            (answer, n) => answer?.citations.map(({ quote }) => quote).find((quote) => quote.includes(`locker ${n} `)) ?? null,
          );
        })
        .toEqual([...committed.values()]);
  });
});
