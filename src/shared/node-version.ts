import { ConfigError } from "./errors.ts";

/** The least version of Node that this program runs on, as `engines` of package.json has it. */
const LEAST = [22, 13] as const;

/** What is wrong with a version of Node ("20.20.2"); `null`: nothing is. Without a word the first thing that is missing would fail, far from its cause. */
export function nodeTooOld(version: string): string | null {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isEnough = major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1]);
  return isEnough
    ? null
    : `sourcebound requires Node ${LEAST.join(".")} or newer, but this is Node ${version}. Install a newer version, or run ./run in a clone of the source, which brings its own`;
}

/** @throws ConfigError `node_too_old` */
export function assertNode(version: string = process.versions.node): void {
  const problem = nodeTooOld(version);
  if (problem !== null) throw new ConfigError("node_too_old", problem);
}
