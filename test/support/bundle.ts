import { join } from "node:path";
import { build } from "vite";
import { PACKAGE_ROOT } from "../../src/package.ts";
import { PROGRAM } from "./cli.ts";

/** Below `dist`, whence the program finds the folder of its package. */
const FOLDER = join(PACKAGE_ROOT, "dist", "bundle");

/**
 * The built program and what it imports in few files: it starts in half the processor's time. For tests that start it hundreds of times to see what a process
 * leaves behind; what ships is `PROGRAM`.
 * @returns path of the program
 */
export async function bundleProgram(): Promise<string> {
  await build({
    configFile: false,
    root: PACKAGE_ROOT,
    logLevel: "error",
    publicDir: false,
    // What is native stays where it was installed.
    ssr: { noExternal: true, external: ["libsql"] },
    build: {
      ssr: true,
      outDir: FOLDER,
      emptyOutDir: true,
      minify: false,
      rolldownOptions: { input: { main: PROGRAM }, output: { entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js" } },
    },
  });
  return join(FOLDER, "main.js");
}
