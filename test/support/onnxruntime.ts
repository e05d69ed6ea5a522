import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_ROOT } from "../../src/package.ts";
import { findOnnxRuntime, ONNX_PACKAGE, ONNX_PACKAGE_VERSION } from "../../src/reader/onnx/runtime.ts";
import { NPM_SETTINGS } from "./npm.ts";
import { TRIES_ALL } from "./trials.ts";

const CACHE = join(PACKAGE_ROOT, "node_modules", ".cache", `${ONNX_PACKAGE}-${ONNX_PACKAGE_VERSION}`);
const { ONNXRUNTIME_DIR } = process.env;

/** File of `onnxruntime-node` in this project, in the folder that ONNXRUNTIME_DIR names, or as `./run test --all` fetched it; `null`: nowhere, and it was said why. */
export const onnxRuntimeOfTests: string | null = findOrFetch();

function findOrFetch(): string | null {
  const there = () => findOnnxRuntime([...(ONNXRUNTIME_DIR === undefined ? [] : [ONNXRUNTIME_DIR]), CACHE])?.file ?? null;
  const why =
    there() !== null ? null : TRIES_ALL ? fetchRuntime() : "it is not in this project, nor in the folder that ONNXRUNTIME_DIR names";
  if (why !== null) process.stderr.write(`tests of the reader on ${ONNX_PACKAGE} are skipped: ${why}\n`);
  return there();
}

/** By npm without scripts, one of which downloads what only graphics cards need. @returns why it could not */
function fetchRuntime(): string | null {
  const part = `${CACHE}.${process.pid}`;
  try {
    mkdirSync(part, { recursive: true });
    const settings = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"];
    execFileSync("npm", ["install", "--prefix", part, ...settings, `${ONNX_PACKAGE}@${ONNX_PACKAGE_VERSION}`], {
      env: { ...process.env, ...NPM_SETTINGS },
      stdio: "pipe",
      timeout: 180_000,
    });
    if (!existsSync(CACHE)) renameSync(part, CACHE);
    return null;
  } catch (error) {
    const said = error instanceof Error ? (error.message.split("\n").at(-1) ?? "") : String(error);
    return `npm could not fetch ${ONNX_PACKAGE}@${ONNX_PACKAGE_VERSION} (${said})`;
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
}
