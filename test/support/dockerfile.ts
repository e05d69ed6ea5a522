import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PACKAGE_ROOT } from "../../src/package.ts";
import { isRoot, NOBODY } from "./cli.ts";
import { NPM_SETTINGS } from "./npm.ts";

export interface Instruction {
  readonly name: string;
  readonly rest: string;
}

/** The settings a container starts with. */
export interface BuiltImage {
  /** Folder that stands for `/`. */
  readonly root: string;
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly user: string | null;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
  /** Executed instructions, in order. */
  readonly done: readonly string[];
}

export function readDockerfile(path: string): Instruction[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("#"))
    .map((line) => {
      const [, name = "", rest = ""] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
      return { name, rest };
    });
}

interface Stage {
  readonly root: string;
  workdir: string;
  env: Record<string, string>;
  user: string | null;
}

/**
 * Executes every `COPY` and `RUN` of a Dockerfile, in order, in folders that stand for the images' roots. This machine's Node.js and, for
 * root, the user `nobody` replace those of the base image.
 * @throws Error for an unsupported instruction
 */
export function buildImage(dockerfile: string, folder: string): BuiltImage {
  const stages = new Map<string, Stage>();
  const done: string[] = [];
  let stage: Stage | null = null;
  const last: { entrypoint: string[]; command: string[]; healthcheck: string[] } = { entrypoint: [], command: [], healthcheck: [] };
  for (const { name, rest } of readDockerfile(dockerfile)) {
    done.push(`${name} ${rest}`);
    if (name === "FROM") {
      const [, image = "", alias = `stage-${stages.size}`] = /^(\S+)(?:\s+AS\s+(\S+))?$/.exec(rest) ?? [];
      if (!/^node:22-/.test(image)) throw new Error(`the base image ${image} is not Node.js 22`);
      stage = { root: join(folder, alias), workdir: "/", env: {}, user: null };
      mkdirSync(stage.root, { recursive: true });
      chmodSync(stage.root, 0o755);
      stages.set(alias, stage);
      continue;
    }
    if (stage === null) throw new Error("a Dockerfile begins with FROM");
    if (name === "WORKDIR") {
      stage.workdir = rest;
      mkdirSync(join(stage.root, rest), { recursive: true });
    } else if (name === "ENV") {
      for (const [, key = "", value = ""] of rest.matchAll(/(\w+)=(\S+)/g)) stage.env[key] = value;
    } else if (name === "COPY") copy(rest, stage, stages);
    else if (name === "RUN") runIn(stage, rest);
    else if (name === "USER") stage.user = rest;
    else if (name === "ENTRYPOINT") last.entrypoint = JSON.parse(rest) as string[];
    else if (name === "CMD") last.command = JSON.parse(rest) as string[];
    else if (name === "HEALTHCHECK") last.healthcheck = JSON.parse(rest.slice(rest.indexOf("CMD ") + 4)) as string[];
    else if (name !== "VOLUME" && name !== "EXPOSE") throw new Error(`${name} cannot be carried out here`);
  }
  if (stage === null) throw new Error(`${dockerfile} is empty`);
  const { root, workdir, env, user } = stage;
  return { root, workdir, env, user, ...last, done };
}

function copy(rest: string, stage: Stage, stages: ReadonlyMap<string, Stage>): void {
  const [, from, paths = ""] = /^(?:--from=(\S+)\s+)?(.*)$/.exec(rest) ?? [];
  const all = paths.split(/\s+/);
  const to = join(stage.root, stage.workdir, all.at(-1) ?? ".");
  if (from === undefined) {
    if (paths !== ". .") throw new Error(`COPY ${rest} cannot be carried out here`);
    for (const path of context()) {
      mkdirSync(dirname(join(to, path)), { recursive: true });
      cpSync(join(PACKAGE_ROOT, path), join(to, path));
    }
    return;
  }
  const source = stages.get(from);
  if (source === undefined) throw new Error(`there is no stage ${from}`);
  for (const path of all.slice(0, -1)) {
    const isFolder = (all.at(-1) ?? "").endsWith("/");
    const target = isFolder ? join(to, path.split("/").at(-1) ?? "") : to;
    cpSync(join(source.root, path), target, { recursive: true, verbatimSymlinks: true });
  }
}

/** Returns the files of the Docker build context: tracked or not ignored by git, minus those of `.dockerignore`. */
function context(): string[] {
  const ignored = readFileSync(join(PACKAGE_ROOT, ".dockerignore"), "utf8").split("\n").filter(Boolean);
  return execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { cwd: PACKAGE_ROOT, encoding: "utf8" })
    .split("\n")
    .filter((path) => path !== "" && existsSync(join(PACKAGE_ROOT, path)))
    .filter((path) => !ignored.some((one) => path === one || path.startsWith(`${one}/`)));
}

/** Replaces the image's folders and user by their local counterparts. */
export function hereOf(root: string, text: string): string {
  return text
    .replaceAll(/(?<![\w/.])\/(app|data)(?![\w])/g, (_, name: string) => join(root, name))
    .replaceAll("node:node", `${NOBODY}:${NOBODY}`);
}

function runIn({ root, workdir, env }: Stage, command: string): void {
  const own = isRoot ? command : command.replaceAll(/ && chown \S+ \S+/g, "");
  execFileSync("sh", ["-ec", hereOf(root, own)], {
    cwd: join(root, workdir),
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...NPM_SETTINGS, ...env },
    stdio: "pipe",
    timeout: 600_000,
  });
}

/** A user without privileges must be able to enter the folders above a root. */
export function openToNobody(folder: string): void {
  chmodSync(folder, 0o755);
  if (isRoot) chownSync(folder, NOBODY, NOBODY);
}
