import { useCallback, useState } from "react";
import type { WireDocument, WireFile, WireFileList, WireVersions } from "../../src/client/index.ts";
import { documentPath, formatRoute, queryOf } from "../app/route.ts";
import { useAccount, useFetched } from "../app/use-account.ts";
import { type Loaded, useLoaded } from "../app/use-loaded.ts";
import { formatCount, formatDate, formatNumber } from "../format.ts";
import { changesOf, shortened, TextDiff } from "../kit/changes.tsx";
import { ResultLine, SelectField, TextField, useActionResult, useEvery } from "../kit/controls.tsx";
import { AskedTwice } from "../kit/popover.tsx";
import { RoomPage } from "../kit/room-page.tsx";
import { ScrollRegion } from "../kit/scroll-region.tsx";
import { StateLine } from "../kit/state-line.tsx";
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
  const { result, tell } = useActionResult();
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
      <ResultLine result={result} />
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

interface FileItemProps {
  readonly file: WireFile;
  /** Query string with `domain` and `tenant`. */
  readonly scope: string;
  readonly onDelete: () => void;
}

const STATES = { queued: "queued", reading: "being ingested", ok: "read", failed: "could not be read" } as const;

/** A file with its documents, or the reason why it could not be read. */
function FileItem({ file, scope, onDelete }: FileItemProps) {
  const { path, status, reason, uploaded, updated_at: at, documents, tenant } = file;
  const busy = status === "queued" || status === "reading";
  return (
    <li className="queue-item">
      {documents.length === 0 ? (
        <strong>{path}</strong>
      ) : (
        documents.map((document) => (
          <span key={document.id}>
            <Document document={document} tenant={tenant} />
          </span>
        ))
      )}
      <span className="muted">
        <span className={`verdict is-${status === "failed" ? "fail" : busy ? "warn" : "pass"}`}>{STATES[status]}</span>
        {documents.length === 0 ? "" : ` · ${path}`}
        {at === null ? "" : ` · ${formatDate(at.slice(0, 10))}`}
        {tenant === null ? "" : ` · only for ${tenant}`}
        {uploaded ? " · uploaded" : " · from a folder of the server"}
      </span>
      {busy ? <progress aria-label={`${path} is being ingested`} /> : null}
      {reason === null ? null : <span className="doubt">{reason}</span>}
      {documents.map(({ id, title }) => (
        <Versions key={id} document={{ id, title }} scope={scope} />
      ))}
      {!uploaded || busy ? null : (
        <span>
          <AskedTwice label="Delete" name={`Delete ${path}`} confirm="Delete it and everything that depends on it" onConfirm={onDelete} />
        </span>
      )}
    </li>
  );
}

/** A document of a file, with the notices from ingestion. */
function Document({
  document: { id, title, version, characters, pages, format, notices },
  tenant,
}: {
  readonly document: WireFile["documents"][number];
  readonly tenant: string | null;
}) {
  const { domain } = useAccount();
  return (
    <>
      <a
        href={formatRoute({
          ...{ room: "read", document: id, start: null, end: null, version, quote: null },
          ...{ domain: domain?.name ?? null, tenant },
        })}
      >
        {title}
      </a>{" "}
      <span className="muted">
        {format === null ? "" : `${format}, `}
        {pages === null ? "" : `${formatCount(pages, "page")}, `}
        {formatNumber(characters)} characters
      </span>
      {notices.map(({ code, message }) => (
        <span key={`${code} ${message}`} className="doubt">
          {message}
        </span>
      ))}
    </>
  );
}

interface VersionsProps {
  readonly document: { readonly id: string; readonly title: string };
  /** Query string with `domain` and `tenant`. */
  readonly scope: string;
}

/** Shows the earlier versions of a document and their differences; loads them when opened. */
function Versions(props: VersionsProps) {
  const [open, setOpen] = useState(false);
  return (
    <details className="outline" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="muted">
        Earlier versions<span className="visually-hidden"> of {props.document.title}</span>
      </summary>
      {open ? <VersionList {...props} /> : null}
    </details>
  );
}

function VersionList({ document: { id, title }, scope }: VersionsProps) {
  const [before, setBefore] = useState("");
  const path = documentPath(id);
  const [state, reload] = useFetched<WireVersions>(`${path}/versions?${scope}`);
  if (state.type !== "ready") return <StateLine state={state} what="the versions" onRetry={reload} />;
  const [current, ...earlier] = state.value.items;
  if (current === undefined || earlier.length === 0)
    return <p>There is one version: the document has not changed since it was ingested.</p>;
  const kept = earlier.filter((version) => version.kept);
  return (
    <>
      <p>
        {formatCount(earlier.length, "earlier version")}, {formatCount(kept.length, "text")} of them kept.
        {kept.length < earlier.length ? " A replaced text is kept while a recorded answer may depend on it." : ""}
      </p>
      {kept.length === 0 ? null : (
        <div className="filters">
          <SelectField
            label="Compare the current version with"
            value={before}
            options={[
              ["", "nothing"],
              ...kept.map(({ version }) => [version, versionsAgo(earlier.findIndex((one) => one.version === version) + 1)] as const),
            ]}
            onChange={setBefore}
          />
        </div>
      )}
      {before === "" ? null : <Difference key={before} {...{ path, scope, before, title }} />}
    </>
  );
}

/** Describes a version by its distance from the current one, because a hash or revision tells users nothing. */
function versionsAgo(back: number): string {
  return back === 1 ? "the previous version" : `${formatCount(back, "version")} earlier`;
}

interface DifferenceProps extends Pick<VersionsProps, "scope"> {
  readonly path: string;
  readonly before: string;
  readonly title: string;
}

function Difference({ path, scope, before, title }: DifferenceProps) {
  const { api } = useAccount();
  const load = useCallback(
    async (signal: AbortSignal) => {
      const [old, now] = await Promise.all([
        api.get<WireDocument>(`${path}?${scope}&version=${encodeURIComponent(before)}`, signal),
        api.get<WireDocument>(`${path}?${scope}`, signal),
      ]);
      return shortened(changesOf(`${old.text}\n`, `${now.text}\n`, "lines"));
    },
    [api, path, scope, before],
  );
  const [state, reload] = useLoaded(load);
  if (state.type !== "ready") return <StateLine state={state} what="both versions" onRetry={reload} />;
  if (state.value.every(({ type }) => type === "same"))
    return <p>The text is the same: only the title, the date or the file has changed.</p>;
  return (
    <ScrollRegion className="prompt" aria-label={`What changed in ${title}`}>
      <TextDiff changes={state.value} />
    </ScrollRegion>
  );
}
