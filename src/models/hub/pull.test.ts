import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { folderOfFile } from "../../../test/support/folders.ts";
import { failureOf } from "../../testing/failure-of.ts";
import { type FakeHub, type FakeHubOptions, startFakeHub, writeFakeHubRuntime } from "../../testing/fake-hub.ts";
import { findLocalModel, listLocalModels } from "./local.ts";
import { type PullOptions, pullModel } from "./pull.ts";
import { findHubRuntime, installHubRuntime } from "./runtime.ts";

const root = folderOfFile();
const repository = "Xenova/all-MiniLM-L6-v2";
const weights = Buffer.from(Array.from({ length: 200_000 }, (_, i) => (i * 31) % 251));
const files = {
  "config.json": Buffer.from('{"architectures":["BertModel"]}'),
  "tokenizer.json": Buffer.from("{}"),
  "tokenizer_config.json": Buffer.from("{}"),
  "onnx/model_quantized.onnx": weights,
  "onnx/model.onnx": Buffer.from("full"),
  "README.md": Buffer.from("not wanted"),
};
let modelsDir = "";
let hub: FakeHub;
beforeEach(() => {
  modelsDir = mkdtempSync(join(root, "models-"));
});

async function start(over: Partial<FakeHubOptions> = {}): Promise<PullOptions> {
  const started = await startFakeHub({ repository, files, tags: ["license:apache-2.0"], ...over });
  onTestFinished(() => started.close());
  hub = started;
  return { hubUrl: hub.url, modelsDir, dtype: "q8", signal: new AbortController().signal, timeoutMs: 2000, backoffMs: 1 };
}

const pull = (options: PullOptions, name = "all-MiniLM-L6-v2") => Array.fromAsync(pullModel(name, options));

describe("pulling a model", () => {
  it("fetches the required files with progress, and records revision and licence", async () => {
    const events = await pull(await start());
    expect(events[0]).toMatchObject({ type: "start", repository, licence: "apache-2.0" });
    const shares = events.flatMap((event) => (event.type === "bytes" ? [event.done / event.total] : []));
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
    expect(shares.at(-1)).toBe(1);
    expect(findLocalModel(modelsDir, "all-MiniLM-L6-v2", "q8").licence).toBe("apache-2.0");
    const manifest = JSON.parse(readFileSync(join(modelsDir, repository, "sourcebound.json"), "utf8"));
    expect(manifest).toMatchObject({ repository, revision: expect.any(String), licence: "apache-2.0" });
    expect(existsSync(join(modelsDir, repository, "README.md"))).toBe(false);
    expect(listLocalModels(modelsDir).map(({ path, dtypes }) => [path, dtypes])).toEqual([[repository, ["q8"]]]);
  });

  it("does not fetch again", async () => {
    const options = await start();
    await pull(options);
    const end = (await pull(options)).at(-1);
    expect(end).toMatchObject({ type: "end", fetched: 0 });
  });

  it.each([false, true])("resumes after a cut connection (range ignored: %s)", async (ignoreRange) => {
    const options = await start({
      ignoreRange,
      cutAfter: (path, request) => (path.endsWith("quantized.onnx") && request === 1 ? 60_000 : -1),
    });
    await pull(options);
    expect(readFileSync(join(modelsDir, repository, "onnx/model_quantized.onnx"))).toEqual(weights);
    expect(hub.requests.some((request) => request.endsWith("bytes=60000-"))).toBe(true);
  });

  it("leaves no model that looks complete when it is cancelled, and resumes later", async () => {
    const abort = new AbortController();
    const options = { ...(await start()), signal: abort.signal };
    const reason = new Error("enough");
    const stopped = (async () => {
      for await (const event of pullModel("all-MiniLM-L6-v2", options))
        if (event.type === "bytes" && event.file.endsWith(".onnx")) abort.abort(reason);
    })();
    expect(await failureOf(stopped)).toBe(reason);
    expect(listLocalModels(modelsDir)).toEqual([]);
    await pull({ ...options, signal: new AbortController().signal });
    expect(listLocalModels(modelsDir)).toHaveLength(1);
  });

  it.each(["onnx/model_quantized.onnx", "tokenizer.json"])("deletes and reports a file with another hash: %s", async (damaged) => {
    const error = await failureOf(pull(await start({ damage: (path) => path === damaged })));
    expect(error).toMatchObject({ code: "hub_file_damaged" });
    expect(existsSync(join(modelsDir, repository, `${damaged}.part`))).toBe(false);
  });

  it("lists the available weights when the requested ones are missing", async () => {
    const error = await failureOf(pull({ ...(await start()), dtype: "fp16" }));
    expect(error).toMatchObject({
      code: "hub_file_missing",
      message: expect.stringContaining("onnx/model_quantized.onnx, onnx/model.onnx"),
    });
  });

  it("explains how to copy the files by hand when the Hub cannot be reached", async () => {
    const options = await start();
    await hub.close();
    const error = await failureOf(pull(options));
    expect(error).toMatchObject({ code: "hub_unreachable" });
    expect(error?.message).toMatch(
      /config\.json, tokenizer\.json, tokenizer_config\.json and onnx\/model_quantized\.onnx of Xenova\/all-MiniLM-L6-v2/,
    );
    expect(error?.message).toContain(join(modelsDir, repository));
  });

  it("rejects names that are neither short nor owner/name, and models that the Hub does not have", async () => {
    const options = await start();
    expect(await failureOf(pull(options, "all-MinLM-L6-v2"))).toMatchObject({
      code: "hub_model_unknown",
      message: expect.stringContaining("all-MiniLM-L6-v2"),
    });
    expect(await failureOf(pull(options, "some/absent"))).toMatchObject({ code: "hub_model_unknown" });
  });
});

describe("installing the runtime", () => {
  /** Returns a fake npm that runs `script`. In the script, `folder` is the argument after `--prefix`. */
  const npm = (script: string): readonly [string, ...string[]] => {
    const path = join(mkdtempSync(join(root, "npm-")), "npm.mjs");
    writeFileSync(path, `import fs from "node:fs";\nconst folder = process.argv[process.argv.indexOf("--prefix") + 1];\n${script}`);
    return [process.execPath, path];
  };
  const install = async (folder: string, program: readonly [string, ...string[]]) => {
    const options = { env: process.env, signal: new AbortController().signal, npm: program, everyMs: 5 };
    return await Array.fromAsync(installHubRuntime(folder, options));
  };

  it("runs npm without scripts and without CUDA, and renames a complete install", async () => {
    const folder = join(mkdtempSync(join(root, "data-")), "hub-runtime");
    const source = mkdtempSync(join(root, "package-"));
    writeFakeHubRuntime(source, "4.3.1");
    const program = npm(
      `console.log(process.argv.slice(2).join(" "), process.env.ONNXRUNTIME_NODE_INSTALL_CUDA); fs.cpSync(${JSON.stringify(source)}, folder, { recursive: true });`,
    );
    const events = await install(folder, program);
    expect(events.at(-1)).toEqual({ type: "end", folder, version: "4.3.1" });
    const lines = events.flatMap((event) => (event.type === "line" ? [event.text] : []));
    expect(lines[0]).toMatch(/--ignore-scripts .*@huggingface\/transformers@4\.3\.1 skip$/);
    expect(findHubRuntime([folder])?.version).toBe("4.3.1");
    expect(existsSync(`${folder}.part`)).toBe(false);
  });

  it("reports npm's error, and leaves nothing that looks installed", async () => {
    const folder = join(mkdtempSync(join(root, "data-")), "hub-runtime");
    const error = await failureOf(install(folder, npm('console.error("network timeout"); process.exit(1);')));
    expect(error).toMatchObject({ code: "hub_install_failed", message: expect.stringContaining("network timeout") });
    expect(existsSync(folder)).toBe(false);
  });
});
