import { useCallback, useEffect, useId, useState } from "react";
import type { WireFile, WireFileList } from "../../src/client/index.ts";
import { messageOf } from "../app/api.ts";
import type { Account } from "../app/use-account.ts";
import { type Loaded, useLoaded } from "../app/use-loaded.ts";
import { formatCount, formatNumber } from "../format.ts";
import { StateLine } from "../kit/state-line.tsx";
import { DropField } from "./drop-field.tsx";
import { FileItem, type FileItemProps } from "./file-item.tsx";
import { planUpload } from "./plan-upload.ts";
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
  const [said, setSaid] = useState<{ readonly failed: boolean; readonly text: string } | null>(null);
  const sendsOnly = maySendOnly(account);
  const [state, reload] = useLoaded(
    useCallback(
      async (signal) => (sendsOnly ? NOTHING : api.get<WireFileList>(`/v1/documents?limit=${LISTED}&${scope}`, signal)),
      [api, scope, sendsOnly],
    ),
  );
  const files = state.type === "ready" ? state.value.items : [];
  const reading = files.some(({ status }) => status === "queued" || status === "reading");

  useEffect(() => {
    if (!reading) return;
    const timer = setInterval(reload, LOOK_MS);
    return () => clearInterval(timer);
  }, [reading, reload]);

  async function upload(chosen: readonly File[]) {
    const limits = account.caller.type === "ready" ? (account.caller.value.uploads ?? null) : null;
    const { batches, refusals } = planUpload(chosen, limits);
    const into = { ...(domain === null ? {} : { domain: domain.name }), ...(tenant === null ? {} : { tenant }) };
    const all = formatCount(batches.flat().length, "file");
    const say = (text: string, failed = refusals.length > 0) => setSaid({ failed, text: [...refusals, text].join(" ").trim() });
    let sent = 0;
    try {
      for (const batch of batches) {
        say(sent === 0 ? `Sending ${all}…` : `Sending ${all}: ${formatNumber(sent)} sent…`);
        await api.upload(batch, into);
        sent += batch.length;
        reload();
      }
      if (chosen.length > 0) say(sent === 0 ? "" : `${all} sent.`);
    } catch (error) {
      say(`${sent === 0 ? "" : `${formatNumber(sent)} of ${all} were sent; of the others: `}${messageOf(error)}`, true);
      reload();
    }
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
  return (
    <main className="room-page" aria-labelledby="library-title">
      <h1 id="library-title" className="room-title">
        Library
      </h1>
      <DropField onFiles={upload} />
      <p role={said?.failed ? "alert" : "status"} className={said?.failed ? "message is-warning" : "muted"}>
        {said?.text}
      </p>
      {sendsOnly ? (
        <p className="message library-note">
          This key takes files in. To see what became of them, and to search them, it needs the role ask too.
        </p>
      ) : (
        <>
          <SearchPanel api={api} domain={domain?.name ?? null} tenant={tenant} />
          <Files {...{ state, reload, api, scope }} domain={domain?.name ?? null} onDelete={remove} />
        </>
      )}
    </main>
  );
}

interface FilesProps extends Pick<FileItemProps, "api" | "scope" | "domain"> {
  readonly state: Loaded<WireFileList>;
  readonly reload: () => void;
  readonly onDelete: (file: WireFile) => void;
}

/** All files with what became of them, those first that need a look. */
function Files({ state, reload, api, scope, domain, onDelete }: FilesProps) {
  const [words, setWords] = useState("");
  const search = useId();
  const files = state.type === "ready" ? state.value.items : [];
  const shown = files
    .filter(({ path, documents }) =>
      [path, ...documents.map(({ title }) => title)].some((text) => text.toLowerCase().includes(words.toLowerCase())),
    )
    .sort((a, b) => rankOf(a) - rankOf(b));
  return (
    <>
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
              <FileItem key={file.id} {...{ file, api, scope, domain }} onDelete={() => onDelete(file)} />
            ))}
          </ul>
        </>
      )}
    </>
  );
}

/** Takes it files in, but may not list them? */
function maySendOnly({ caller }: Pick<Account, "caller">): boolean {
  return caller.type === "ready" && caller.value.roles.includes("ingest") && !caller.value.roles.includes("ask");
}

const NOTHING: WireFileList = { items: [], next_cursor: null };

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
