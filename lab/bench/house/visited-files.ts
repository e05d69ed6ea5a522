import { Session } from "node:inspector/promises";
import { fileURLToPath } from "node:url";

/** Finds the files whose functions run during `work`. Code at module level does not count. @returns absolute paths of the loaded files */
export async function filesVisited(work: () => Promise<void>): Promise<Set<string>> {
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    await work();
    const { result } = await session.post("Profiler.takePreciseCoverage");
    const ran = result.filter(
      ({ url, functions }) => url.startsWith("file:") && functions.slice(1).some(({ ranges }) => (ranges[0]?.count ?? 0) > 0),
    );
    return new Set(ran.map(({ url }) => fileURLToPath(url)));
  } finally {
    session.disconnect();
  }
}
