import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { loadConfig } from "../config.ts";
import { findOnnxRuntime } from "../reader/onnx/runtime.ts";
import { openSharedReader } from "../reader/shared-reader.ts";
import { writeFakeOnnxRuntime } from "../testing/fake-onnxruntime.ts";
import { configuredReader } from "./local-models.ts";

const folder = mkdtempSync(join(tmpdir(), "configured-reader-"));
afterAll(() => rmSync(folder, { recursive: true }));

const configOf = (runtime: string | undefined, dataDir: string) =>
  loadConfig({ cwd: folder, env: { SOURCEBOUND_READER_RUNTIME: runtime, SOURCEBOUND_DATA_DIR: dataDir } });

describe("the configured reader", () => {
  it("is that of the kernel that ships unless another runtime is named", () => {
    expect(configuredReader(configOf(undefined, "none"))).toBe(openSharedReader);
    expect(() => configOf("onnx", "none")).toThrow(/reader\.runtime/);
  });

  it.skipIf(findOnnxRuntime([]) !== null)("says what to install where the named runtime is not", () => {
    expect(() => configuredReader(configOf("onnxruntime", "none"))).toThrow(
      expect.objectContaining({
        code: "reader_runtime_missing",
        message: expect.stringMatching(/npm install onnxruntime-node.*models install/),
      }),
    );
  });

  it("reads by the runtime beside the data, with the weights that ship", async () => {
    writeFakeOnnxRuntime(join(folder, "data", "hub-runtime"));
    const [own, reader] = [openSharedReader(), configuredReader(configOf("onnxruntime", "data"))()];
    expect(reader.weights).toEqual(own.weights);
    const [[one], [other]] = await Promise.all([own.read(["What is the fee?"]), reader.read(["What is the fee?"])]);
    expect(other?.vector).not.toEqual(one?.vector);
    await Promise.all([own.close(), reader.close()]);
  });
});
