import { useCallback, useEffect, useId, useState } from "react";
import type { WireFile, WireFileList } from "../../src/client/index.ts";
import { messageOf } from "../app/api.ts";
import type { Account } from "../app/use-account.ts";
import { useLoaded } from "../app/use-loaded.ts";
import { formatCount } from "../format.ts";
import { StateLine } from "../kit/state-line.tsx";
import { DropField } from "./drop-field.tsx";
import { FileItem } from "./file-item.tsx";
import { SearchPanel } from "./search-panel.tsx";

export interface LibraryRoomProps {
  readonly account: Account;
}

/** Milliseconds between two looks while files are being read. */
const LOOK_MS = 2_000;
/** Files that are listed at once. */
const LISTED = 100;

/** What can be asked of: files with what became of them; new ones are taken in by drag and drop. */
export default function LibraryRoom({ account }: LibraryRoomProps) {
  const { api, domain, preferences } = account;
  const tenant = domain?.tenants.some(({ name }) => name === preferences.tenant) ? preferences.tenant : null;
  const scope = new URLSearchParams({
    ...(domain === null ? {} : { domain: domain.name }),
    ...(tenant === null ? {} : { tenant }),
  }).toString();
  const [words, setWords] = useState("");
  const [said, setSaid] = useState<{ readonly failed: boolean; readonly text: string } | null>(null);
  const [state, reload] = useLoaded(
    useCallback((signal) => api.get<WireFileList>(`/v1/documents?limit=${LISTED}&${scope}`, signal), [api, scope]),
  );
  const files = state.type === "ready" ? state.value.items : [];
  const reading = files.some(({ status }) => status === "queued" || status === "reading");
  const search = useId();

  useEffect(() => {
    if (!reading) return;
    const timer = setInterval(reload, LOOK_MS);
    return () => clearInterval(timer);
  }, [reading, reload]);

  async function upload(chosen: readonly File[]) {
    if (chosen.length === 0) return;
    setSaid({ failed: false, text: `Sending ${formatCount(chosen.length, "file")}…` });
    const into = { ...(domain === null ? {} : { domain: domain.name }), ...(tenant === null ? {} : { tenant }) };
    await tell(api.upload(chosen, into), `${formatCount(chosen.length, "file")} sent.`);
  }

  async function tell(done: Promise<unknown>, text: string) {
    try {
      await done;
      setSaid({ failed: false, text });
    } catch (error) {
      setSaid({ failed: true, text: messageOf(error) });
    }
    reload();
  }

  const remove = ({ id, path }: WireFile) =>
    tell(api.send("DELETE", `/v1/documents/${encodeURIComponent(id)}?${scope}`), `${path} was deleted.`);
  const shown = files
    .filter(({ path, documents }) =>
      [path, ...documents.map(({ title }) => title)].some((text) => text.toLowerCase().includes(words.toLowerCase())),
    )
    .sort((a, b) => rankOf(a) - rankOf(b));

  return (
    <main className="room-page" aria-labelledby="library-title">
      <h1 id="library-title" className="room-title">
        Library
      </h1>
      <DropField onFiles={upload} />
      <p role={said?.failed ? "alert" : "status"} className={said?.failed ? "message is-warning" : "muted"}>
        {said?.text}
      </p>
      <SearchPanel api={api} domain={domain?.name ?? null} tenant={tenant} />
      <h2>Files</h2>
      <StateLine state={state} what="the library" onRetry={reload} />
      {state.type !== "ready" ? null : (
        <>
          <div className="filters">
            <label htmlFor={search}>Title or path holds</label>
            <input id={search} type="search" className="field" value={words} onChange={(event) => setWords(event.target.value)} />
            <span role="status">
              {files.length === 0 ? "There are no documents yet: drop some above." : formatCount(shown.length, "file")}
              {state.value.next_cursor === null ? "" : ` of the first ${LISTED}; the rest is listed by the command documents list`}
            </span>
          </div>
          <p role="status" className="muted">
            {progressOf(files)}
          </p>
          <ul className="queue">
            {shown.map((file) => (
              <FileItem key={file.id} {...{ file, api, scope }} domain={domain?.name ?? null} onDelete={() => remove(file)} />
            ))}
          </ul>
        </>
      )}
    </main>
  );
}

/** What was just sent, and what needs looking at, stands first. */
function rankOf({ status, uploaded }: WireFile): number {
  return status === "queued" || status === "reading" ? 0 : status === "failed" ? 1 : uploaded ? 2 : 3;
}

/** How far the reading is, as long as something is read. */
function progressOf(files: readonly WireFile[]): string {
  const waiting = files.filter(({ status }) => status === "queued" || status === "reading").length;
  const failed = files.filter(({ status }) => status === "failed").length;
  const pages = files.flatMap(({ documents }) =>
    documents.flatMap(({ notices }) => notices.flatMap((notice) => notice.pages ?? [])),
  ).length;
  return [
    ...(waiting === 0 ? [] : [`${formatCount(waiting, "file")} being read`]),
    ...(failed === 0 ? [] : [`${formatCount(failed, "file")} could not be read`]),
    ...(pages === 0 ? [] : [`${formatCount(pages, "page")} with a notice`]),
  ].join(", ");
}
