import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { onnxRuntimeOfTests } from "../../../test/support/onnxruntime.ts";
import { expectParity, TINY_WEIGHTS } from "../../../test/support/reader-parity.ts";
import { rounds } from "../../../test/support/trials.ts";
import { PACKAGE_ROOT } from "../../package.ts";
import { writeFakeHubRuntime } from "../../testing/fake-hub.ts";
import { writeFakeOnnxRuntime } from "../../testing/fake-onnxruntime.ts";
import { describeReaderContract } from "../../testing/reader-contract.ts";
import { createReader, SHIPPED_WEIGHTS } from "../create-reader.ts";
import { createReaderPool } from "../pool.ts";
import type { ReaderThread } from "../threads.ts";
import { readStoredWeights } from "../weights.ts";
import { createOnnxForward } from "./forward.ts";
import { findOnnxRuntime } from "./runtime.ts";
import { createProcessStarter } from "./start-process.ts";

const folder = mkdtempSync(join(tmpdir(), "onnx-"));
afterAll(() => rmSync(folder, { recursive: true }));
const fake = writeFakeOnnxRuntime(join(folder, "fake"), { version: "1.2.3" });
const passage = "Water is turned on from 1 April to 31 October.";

async function opened(onnxRuntime: string, threads: number) {
  const reader = createReader({ path: TINY_WEIGHTS, threads, onnxRuntime });
  return { reader, close: () => reader.close() };
}

describeReaderContract("a runtime that is none, two processes", () => opened(fake, 2));

describe("the reader on a runtime of the user", () => {
  it("finds it where it is installed, and below the runtime of hub models", () => {
    expect(findOnnxRuntime([join(folder, "nowhere"), join(folder, "fake")])).toMatchObject({ file: fake, version: "1.2.3" });
    const hub = join(folder, "hub");
    writeFakeHubRuntime(hub);
    const below = writeFakeOnnxRuntime(join(hub, "node_modules", "@huggingface", "transformers"));
    expect(findOnnxRuntime([hub])?.file).toBe(below);
  });

  it("reads on when its process ends in the middle of a text", async () => {
    const start = createProcessStarter(TINY_WEIGHTS, fake);
    const processes: ReaderThread[] = [];
    const pool = createReaderPool((number, events) => {
      const one = start(number, events);
      processes.push(one);
      return one;
    }, 1);
    const reading = pool.read(passage, undefined);
    await processes[0]?.end();
    expect((await reading).vector).toHaveLength(64);
    expect(processes).toHaveLength(2);
    await pool.close();
  });

  it("leaves nothing behind, and says nothing, when the program ends in the middle of a text", { timeout: 30_000 }, async () => {
    const slow = writeFakeOnnxRuntime(join(folder, "slow"), {
      program: `
        const wait = () => { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700); return { mean: {} }; };
        module.exports = { Tensor: class {}, InferenceSession: class { static async create() { return { run: async () => wait() }; } } };`,
    });
    const entry = pathToFileURL(join(PACKAGE_ROOT, "dist", "src", "reader", "create-reader.js")).href;
    const program = `
      import { createReader } from ${JSON.stringify(entry)};
      const reader = createReader(${JSON.stringify({ path: TINY_WEIGHTS, onnxRuntime: slow, threads: 1 })});
      await reader.read(["a"]).catch(() => undefined);
      reader.read(["b"]).catch(() => undefined);
      setTimeout(() => process.exit(7), 200);`;
    const begun = performance.now();
    // Standard error is open until the last process that has it has ended.
    const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
      encoding: "utf8",
      timeout: 25_000,
    });
    expect({ status, stderr }).toEqual({ status: 7, stderr: "" });
    expect(performance.now() - begun).toBeGreaterThan(700);
  });

  for (const [what, program, message] of [
    ["does not load", "throw new Error('no such platform')", /no such platform.*install onnxruntime-node@/],
    ["is another package", "module.exports = {}", /does not export what it should/],
    [
      "does not take the weights",
      "module.exports = { Tensor: class {}, InferenceSession: class { static async create() { throw new Error('opset 20 is unknown'); } } }",
      /opset 20 is unknown/,
    ],
  ] as const) {
    for (const threads of [0, 1])
      it(`says that it ${what} (${threads === 0 ? "calling thread" : "process"})`, async () => {
        const { reader, close } = await opened(writeFakeOnnxRuntime(mkdtempSync(join(folder, "broken-")), { program }), threads);
        await expect(reader.read([passage])).rejects.toMatchObject({
          code: "reader_runtime_broken",
          message: expect.stringMatching(message),
        });
        await close();
      });
  }

  it("says at once which weights are missing", () => {
    expect(() => createReader({ path: "/nowhere/reader.bin", onnxRuntime: fake })).toThrow(
      /\/nowhere\/reader\.bin cannot be read .*reinstall/,
    );
  });
});

describe.skipIf(onnxRuntimeOfTests === null)("onnxruntime-node itself (needs it in this project or in ONNXRUNTIME_DIR)", () => {
  const file = onnxRuntimeOfTests ?? "";
  describeReaderContract("onnxruntime-node, two processes", () => opened(file, 2));
  describeReaderContract("onnxruntime-node, calling thread", () => opened(file, 0));

  for (const [name, path, every] of [
    ["weights of tests", TINY_WEIGHTS, 1],
    ["weights that ship", SHIPPED_WEIGHTS, rounds({ all: 1, usually: 10 })],
  ] as const)
    it(`gives what torch gives on stored cases with the ${name}`, { timeout: 120_000 }, async () => {
      const weights = readStoredWeights(path);
      await expectParity(path, { hash: weights.hash, run: (await createOnnxForward(weights, file)).run, every });
    });

  it("leaves the event loop free while processes read", { timeout: 60_000 }, async () => {
    const reader = createReader({ threads: 1, onnxRuntime: file });
    await reader.read([passage]);
    let longestMs = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      longestMs = Math.max(longestMs, performance.now() - last);
      last = performance.now();
    }, 1);
    const begun = performance.now();
    await reader.read(Array.from({ length: 20 }, (_, i) => `${i} ${passage.repeat(12)}`));
    const tookMs = performance.now() - begun;
    clearInterval(timer);
    expect(longestMs).toBeLessThan(tookMs / 2);
    await reader.close();
  });
});
