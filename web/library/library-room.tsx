import { useCallback, useState } from "react";
import type { WireFile, WireFileList } from "../../src/client/index.ts";
import { documentPath, queryOf } from "../app/route.ts";
import { useAccount } from "../app/use-account.ts";
import { type Loaded, useLoaded } from "../app/use-loaded.ts";
import { formatCount } from "../format.ts";
import { SaidLine, TextField, useEvery, useSaid } from "../kit/controls.tsx";
import { RoomPage } from "../kit/room-page.tsx";
import { StateLine } from "../kit/state-line.tsx";
import { FileItem, type FileItemProps } from "./file-item.tsx";
import { SearchPanel } from "./search-panel.tsx";
import UploadField from "./upload-field.tsx";

/** Polling interval while files are being read, in milliseconds. */
const LOOK_MS = 2_000;
/** Maximum number of listed files. */
const LISTED = 100;

/** The Library view: upload, search with scores, and the files with their status. */
export default function LibraryRoom() {
  const { api, domain, tenant, roles } = useAccount();
  const scope = queryOf({ domain: domain?.name, tenant });
  const { said, tell } = useSaid();
  // A key with only the role `ingest` may upload files but not list them.
  const sendsOnly = roles.includes("ingest") && !roles.includes("ask");
  const [state, reload] = useLoaded(
    useCallback(
      async (signal) => (sendsOnly ? NOTHING : api.get<WireFileList>(`/v1/documents?limit=${LISTED}&${scope}`, signal)),
      [api, scope, sendsOnly],
    ),
  );
  const files = state.type === "ready" ? state.value.items : [];
  const reading = files.some(({ status }) => status === "queued" || status === "reading");

  useEvery(reading ? LOOK_MS : null, reload);

  const remove = ({ id, path }: WireFile) => tell(api.send("DELETE", `${documentPath(id)}?${scope}`), `${path} was deleted.`).then(reload);
  return (
    <RoomPage title="Library">
      <UploadField onSent={reload} />
      <SaidLine said={said} />
      {sendsOnly ? (
        <p className="message">This key can upload files. To see their state and search them, it also needs the role ask.</p>
      ) : (
        <>
          <SearchPanel />
          <Files {...{ state, reload, scope }} onDelete={remove} />
        </>
      )}
    </RoomPage>
  );
}

interface FilesProps extends Pick<FileItemProps, "scope"> {
  readonly state: Loaded<WireFileList>;
  readonly reload: () => void;
  readonly onDelete: (file: WireFile) => void;
}

function Files({ state, reload, scope, onDelete }: FilesProps) {
  const [words, setWords] = useState("");
  const files = state.type === "ready" ? state.value.items : [];
  const shown = files
    .filter(({ path, documents }) =>
      [path, ...documents.map(({ title }) => title)].some((text) => text.toLowerCase().includes(words.toLowerCase())),
    )
    .sort((a, b) => rankOf(a) - rankOf(b));
  const folders = Map.groupBy(shown, ({ path }) => path.slice(0, Math.max(0, path.lastIndexOf("/"))));
  return (
    <>
      <h2>Files</h2>
      <StateLine state={state} what="the library" onRetry={reload} />
      {state.type !== "ready" ? null : (
        <>
          <div className="filters">
            <TextField type="search" label="Title or path contains" value={words} onChange={setWords} />
            <span role="status">
              {files.length === 0 ? "There are no documents yet. Drop some above." : formatCount(shown.length, "file")}
              {state.value.next_cursor === null ? "" : ` of the first ${LISTED}; the command documents list shows all`}
            </span>
          </div>
          <p role="status" className="muted">
            {progressOf(files)}
          </p>
          {[...folders].map(([folder, inside]) => {
            const items = inside.map((file) => <FileItem key={file.id} {...{ file, scope }} onDelete={() => onDelete(file)} />);
            const list = <ul className="stack">{items}</ul>;
            if (folders.size === 1) return <div key={folder}>{list}</div>;
            return (
              <details key={folder} className="folder" open>
                <summary>
                  <strong>{folder === "" ? "No folder" : folder}</strong>{" "}
                  <span className="muted">{formatCount(inside.length, "file")}</span>
                </summary>
                {list}
              </details>
            );
          })}
        </>
      )}
    </>
  );
}

const NOTHING: WireFileList = { items: [], next_cursor: null };

/** Ranks files for sorting: in progress, failed, uploaded, others. */
function rankOf({ status, uploaded }: WireFile): number {
  return status === "queued" || status === "reading" ? 0 : status === "failed" ? 1 : uploaded ? 2 : 3;
}

/** Counts files in progress, failed files and pages with notices. */
function progressOf(files: readonly WireFile[]): string {
  const waiting = files.filter(({ status }) => status === "queued" || status === "reading").length;
  const failed = files.filter(({ status }) => status === "failed").length;
  const pages = files.flatMap(({ documents }) =>
    documents.flatMap(({ notices }) => notices.flatMap((notice) => notice.pages ?? [])),
  ).length;
  return [
    ...(waiting === 0 ? [] : [`${formatCount(waiting, "file")} being ingested`]),
    ...(failed === 0 ? [] : [`${formatCount(failed, "file")} could not be read`]),
    ...(pages === 0 ? [] : [`${formatCount(pages, "page")} with a notice`]),
  ].join(", ");
}
