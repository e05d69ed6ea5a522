import type { JobState } from "../store/jobs.ts";
import type { Store } from "../store/store.ts";
import { type OnItsWay, UPLOAD_SOURCE, type UploadRoom } from "./upload-room.ts";
import { uploadJob, workSchema } from "./work.ts";

const STATUS_OF_STATE = { queued: "queued", running: "reading", failed: "failed" } as const;

/**
 * Uploaded files in the database that processes share, read by whichever of them comes first.
 * @param wake lets this process look for work, too
 */
export function createSharedRoom(store: Pick<Store, "jobs" | "originals">, wake: () => void): UploadRoom {
  const filesOf = async ({ domain, work, state, reason }: JobState): Promise<OnItsWay[]> => {
    const asked = workSchema.parse(work);
    if (asked.type !== "uploads") return [];
    const { tenant, label } = asked;
    const originals = await store.originals.list({ domain, tenant, label });
    const place = { domain, tenant, label, source: `${UPLOAD_SOURCE}${label}`, status: STATUS_OF_STATE[state], reason };
    return originals.map(({ path, updatedAt }) => ({ ...place, path, since: updatedAt }));
  };
  return {
    async put(of, files, fits) {
      await store.originals.putAll(of, files, fits);
      await store.jobs.ask(uploadJob(of));
      wake();
    },
    async take(of, path, forget) {
      await store.originals.remove(of, path);
      await forget();
      // A reading that began before may bring it back; the next one takes it out.
      await store.jobs.ask(uploadJob(of));
      wake();
    },
    async waiting(domain) {
      return (await Promise.all((await store.jobs.list(domain)).map(filesOf))).flat();
    },
    // Jobs of the database outlive the process that asked for them.
    resume: async () => {},
    idle: async () => {},
  };
}
