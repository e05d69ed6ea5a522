import { useCallback, useId, useState } from "react";
import type { WireFile, WireFileList, WireUploadLimits } from "../../src/client/index.ts";
import { messageOf } from "../app/api.ts";
import { documentPath, queryOf } from "../app/route.ts";
import { useAccount } from "../app/use-account.ts";
import { type Loaded, useLoaded } from "../app/use-loaded.ts";
import { formatCount, formatNumber } from "../format.ts";
import { SaidLine, TextField, useEvery, useSaid } from "../kit/controls.tsx";
import { RoomPage } from "../kit/room-page.tsx";
import { StateLine } from "../kit/state-line.tsx";
import { FileItem, type FileItemProps } from "./file-item.tsx";
import { SearchPanel } from "./search-panel.tsx";

/** Polling interval while files are being read, in milliseconds. */
const LOOK_MS = 2_000;
/** Maximum number of listed files. */
const LISTED = 100;

/** The Library view: upload, search with scores, and the files with their status. */
export default function LibraryRoom() {
  const { api, caller, domain, tenant, roles } = useAccount();
  const scope = queryOf({ domain: domain?.name, tenant });
  const { said, setSaid, tell } = useSaid();
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

  async function upload(chosen: readonly File[]) {
    const limits = caller.type === "ready" ? (caller.value.uploads ?? null) : null;
    const { batches, refusals } = planUpload(chosen, limits);
    const into = { ...(domain === null ? {} : { domain: domain.name }), ...(tenant === null ? {} : { tenant }) };
    const all = formatCount(batches.flat().length, "file");
    const say = (text: string, failed = refusals.length > 0) => setSaid({ failed, text: [...refusals, text].join(" ").trim() });
    let sent = 0;
    try {
      for (const batch of batches) {
        say(sent === 0 ? `Uploading ${all}…` : `Uploading ${all}: ${formatNumber(sent)} done…`);
        await api.upload(batch, into);
        sent += batch.length;
        reload();
      }
      if (chosen.length > 0) say(sent === 0 ? "" : `${all} uploaded.`);
    } catch (error) {
      say(`${sent === 0 ? "" : `${formatNumber(sent)} of ${all} were uploaded; the others failed: `}${messageOf(error)}`, true);
      reload();
    }
  }

  const remove = ({ id, path }: WireFile) => tell(api.send("DELETE", `${documentPath(id)}?${scope}`), `${path} was deleted.`).then(reload);
  return (
    <RoomPage title="Library">
      <DropField onFiles={upload} />
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
          <ul className="stack">
            {shown.map((file) => (
              <FileItem key={file.id} {...{ file, scope }} onDelete={() => onDelete(file)} />
            ))}
          </ul>
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

/** Takes files that are chosen or dropped on its file input. */
function DropField({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }) {
  const id = useId();
  return (
    <>
      <p id={id}>Drop files here: PDF, Word, EPUB, spreadsheets, mail, HTML, Markdown, text. A file with the same name is replaced.</p>
      <input
        type="file"
        className="drop"
        multiple
        aria-label="Files to upload"
        aria-describedby={id}
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
    </>
  );
}

interface ChosenFile {
  readonly name: string;
  readonly size: number;
}

interface UploadPlan<T extends ChosenFile> {
  /** Files to send, one batch per request. */
  readonly batches: readonly (readonly T[])[];
  /** Reasons why the other files are not sent, one sentence each. */
  readonly refusals: readonly string[];
}

/** Splits files into one batch per request and explains omissions. @param limits `null`: unknown, so all files form one batch */
export function planUpload<T extends ChosenFile>(files: readonly T[], limits: WireUploadLimits | null): UploadPlan<T> {
  if (limits === null) return { batches: files.length === 0 ? [] : [files], refusals: [] };
  const named = new Map<string, number>();
  for (const { name } of files) named.set(name, (named.get(name) ?? 0) + 1);
  const twice = [...named].filter(([, count]) => count > 1);
  const large = files.filter(({ name, size }) => named.get(name) === 1 && size > limits.file_bytes);
  const batches: T[][] = [];
  let room = { files: 0, bytes: 0 };
  for (const file of files) {
    if (named.get(file.name) !== 1 || file.size > limits.file_bytes) continue;
    if (room.files === 0 || room.bytes < file.size) {
      batches.push([]);
      room = { files: limits.files, bytes: limits.bytes };
    }
    batches.at(-1)?.push(file);
    room = { files: room.files - 1, bytes: room.bytes - file.size };
  }
  const refusals = [
    ...twice.map(
      ([name, count]) => `${count} of the files are named ${name}, and each would replace the previous one. Upload them one by one.`,
    ),
    ...large.map((file) => tooLarge(file, limits)),
  ];
  return { batches, refusals };
}

function tooLarge({ name, size }: ChosenFile, limits: WireUploadLimits): string {
  const [is, most] = [formatBytes(size, Math.ceil), formatBytes(limits.file_bytes, Math.floor)];
  return `${name} is too large: it has ${is}, and the limit is ${most}. Split it, or ask your administrator to ingest it.`;
}

/** Formats bytes in decimal units. @param round up for an excess, down for a limit, so that the two never show the same number */
function formatBytes(bytes: number, round: (value: number) => number): string {
  if (bytes >= 1e6) return `${formatNumber(round(bytes / 1e5) / 10)} MB`;
  return bytes >= 1e3 ? `${formatNumber(round(bytes / 1e3))} kB` : formatCount(bytes, "byte");
}
