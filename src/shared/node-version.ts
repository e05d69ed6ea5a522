import { ConfigError } from "./errors.ts";

/** Minimum version of Node that this program runs on, equal to `engines` in package.json. */
const LEAST = [22, 13] as const;

/**
 * Returns the error message for a version of Node such as "20.20.2", or `null` if the version is supported. Without
 * this check, an old version would fail at the first missing feature, with an unrelated error.
 */
export function nodeTooOld(version: string): string | null {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isEnough = major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1]);
  return isEnough
    ? null
    : `sourcebound requires Node ${LEAST.join(".")} or newer, but this is Node ${version}. Install a newer version, or run ./run in a clone of the source, which installs its own Node`;
}

/** @throws ConfigError `node_too_old` */
export function assertNode(version: string = process.versions.node): void {
  const problem = nodeTooOld(version);
  if (problem !== null) throw new ConfigError("node_too_old", problem);
}
