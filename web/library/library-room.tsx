import { useCallback, useState } from "react";
import type { WireDocument, WireFile, WireFileList, WireVersions } from "../../src/client/index.ts";
import { documentPath, formatRoute, goTo, queryOf, type Route } from "../app/route.ts";
import { useAccount, useFetched, useLoaded } from "../app/use-account.ts";
import { formatCount, formatDate, formatNumber } from "../format.ts";
import { ResultLine, useActionResult, useEvery } from "../kit/actions.tsx";
import { changesOf, shortened, TextDiff } from "../kit/changes.tsx";
import { AskedTwice, Button, CheckField, SelectField, TextField } from "../kit/controls.tsx";
import { StateLine } from "../kit/message.tsx";
import { RoomPage } from "../kit/pane.tsx";
import { ScrollRegion } from "../kit/table.tsx";
import { Summary } from "../reader/summary.tsx";
import UploadField, { FileState, isBeingRead, LOOK_MS } from "./upload-field.tsx";

/** Maximum number of files that are listed. */
const LISTED = 100;

/** The Library view: an upload field, and the files with their state. */
export default function LibraryRoom() {
  const { roles } = useAccount();
  // A key with the role `ingest` but not `ask` may upload files, but not list them. Then show only the upload field.
  const sendsOnly = roles.includes("ingest") && !roles.includes("ask");
  return (
    <RoomPage title="Library">
      {sendsOnly ? <UploadField onSent={() => {}} /> : <Files />}
      {sendsOnly ? (
        <p className="message">This key can upload files, but not list or search them. For that, it also needs the role “ask”.</p>
      ) : null}
    </RoomPage>
  );
}

function Files() {
  const { api, domain, tenant } = useAccount();
  const scope = queryOf({ domain: domain?.name, tenant });
  const { result, tell } = useActionResult();
  const [state, reload] = useFetched<WireFileList>(`/v1/documents?limit=${LISTED}&${scope}`);
  const [words, setWords] = useState("");
  const [ticked, setTicked] = useState<readonly string[]>([]);
  const files = state.type === "ready" ? state.value.items : [];
  const shown = files
    .filter(({ path, documents }) =>
      [path, ...documents.map(({ title }) => title)].some((text) => text.toLowerCase().includes(words.toLowerCase())),
    )
    .sort((a, b) => rankOf(a) - rankOf(b));
  const folders = Map.groupBy(shown, ({ path }) => path.slice(0, Math.max(0, path.lastIndexOf("/"))));

  useEvery(files.some(isBeingRead) ? LOOK_MS : null, reload);

  async function remove(gone: readonly WireFile[]) {
    const work = Promise.all(gone.map(({ id }) => api.send("DELETE", `${documentPath(id)}?${scope}`)));
    await tell(work, `${gone.map(({ path }) => path).join(", ")} ${gone.length === 1 ? "was" : "were"} deleted.`);
    reload();
  }

  return (
    <>
      <UploadField onSent={reload} />
      <ResultLine result={result} />
      <h2>Files</h2>
      <StateLine state={state} what="the library" onRetry={reload} />
      {state.type !== "ready" ? null : (
        <>
          <div className="filters">
            <TextField type="search" label="Title or path contains" value={words} onChange={setWords} />
            <span role="status">
              {files.length === 0 ? "There are no documents yet. Drop files into the field above." : formatCount(shown.length, "file")}
              {state.value.next_cursor === null ? "" : ` of the first ${LISTED}; the command “documents list” shows all`}
            </span>
          </div>
          <p role="status" className="muted">
            {progressOf(files)}
          </p>
          <Problems files={files} scope={scope} />
          <Ticked files={files.filter(({ id }) => ticked.includes(id))} onDelete={remove} />
          {[...folders].map(([folder, inside]) => {
            const items = inside.map((file) => (
              <FileItem
                key={file.id}
                {...{ file, scope }}
                ticked={ticked.includes(file.id)}
                onTick={() => setTicked(ticked.includes(file.id) ? ticked.filter((id) => id !== file.id) : [...ticked, file.id])}
              />
            ));
            const list = <ul className="stack">{items}</ul>;
            if (folders.size === 1) return <div key={folder}>{list}</div>;
            return (
              <details key={folder} open>
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

/** The actions for the files whose boxes are ticked. */
function Ticked({ files, onDelete }: Readonly<{ files: readonly WireFile[]; onDelete: (files: readonly WireFile[]) => void }>) {
  const { choose } = useAccount();
  const documents = files.flatMap((file) => file.documents);
  const own = files.filter((file) => file.uploaded && !isBeingRead(file));
  if (files.length === 0) return <p className="muted">Tick files to ask only these files, or to delete them.</p>;
  return (
    <div className="row ticked">
      <span role="status">{formatCount(files.length, "file")} ticked</span>
      {documents.length === 0 ? null : (
        <Button
          onClick={() => {
            choose(documents);
            goTo({ room: "ask" });
          }}
        >
          Ask only these
        </Button>
      )}
      {own.length === 0 ? null : (
        <AskedTwice
          label={`Delete ${formatCount(own.length, "file")}`}
          confirm="Delete them and everything that depends on them"
          onConfirm={() => onDelete(own)}
        />
      )}
    </div>
  );
}

/** Shows the problems that ingestion found. Each kind has one notice with the affected documents. */
function Problems({ files, scope }: { readonly files: readonly WireFile[]; readonly scope: string }) {
  const found = files.flatMap(({ documents, tenant }) =>
    documents.flatMap((document) => document.notices.map((notice) => ({ ...notice, document, tenant }))),
  );
  return [...Map.groupBy(found, ({ code }) => code)].map(([code, same]) => (
    <details key={code} className="message">
      <summary>{`${code.replaceAll("_", " ")}: ${formatCount(same.length, "document")}`}</summary>
      <ul>
        {same.map(({ document, message, tenant }) => (
          <li key={`${document.id} ${message}`}>
            <a href={formatRoute(startOf(document, scope, tenant))}>{document.title}</a>: {message}
          </li>
        ))}
      </ul>
    </details>
  ));
}

/** Returns the rank of a file in the list: files being read, then failed files, then uploads, then files from the server's folder. */
function rankOf({ status, uploaded }: WireFile): number {
  return isBeingRead({ status }) ? 0 : status === "failed" ? 1 : uploaded ? 2 : 3;
}

/** Says how many files are being read and how many failed. */
function progressOf(files: readonly WireFile[]): string {
  const waiting = files.filter(isBeingRead).length;
  const failed = files.filter(({ status }) => status === "failed").length;
  const said = [
    waiting > 0 && `${formatCount(waiting, "file")} being read`,
    failed > 0 && `${formatCount(failed, "file")} could not be read`,
  ];
  return said.filter(Boolean).join(", ");
}

interface FileItemProps {
  readonly file: WireFile;
  /** Query string with `domain` and `tenant`. */
  readonly scope: string;
  readonly ticked: boolean;
  readonly onTick: () => void;
}

/** A file in the list, with its documents or the reason why it could not be read. */
function FileItem({ file, scope, ticked, onTick }: FileItemProps) {
  const { path, reason, uploaded, updated_at: at, documents, tenant } = file;
  const busy = isBeingRead(file);
  return (
    <li className="queue-item">
      <div className="row">
        {busy ? null : (
          <CheckField checked={ticked} onChange={onTick}>
            <span className="visually-hidden">Tick {path}</span>
          </CheckField>
        )}
        <div className="stack">
          {documents.length === 0 ? <strong>{path}</strong> : null}
          {documents.map((document) => (
            <span key={document.id}>
              <a href={formatRoute(startOf(document, scope, tenant))}>{document.title}</a>{" "}
              <span className="muted">
                {document.format === null ? "" : `${document.format}, `}
                {document.pages === null ? "" : `${formatCount(document.pages, "page")}, `}
                {formatNumber(document.characters)} characters
              </span>
            </span>
          ))}
        </div>
      </div>
      <span className="muted">
        <FileState file={file} />
        {documents.length === 0 ? "" : ` · ${path}`}
        {at === null ? "" : ` · ${formatDate(at.slice(0, 10))}`}
        {tenant === null ? "" : ` · only for ${tenant}`}
        {uploaded ? " · uploaded" : " · from a folder of the server"}
      </span>
      {busy ? <progress aria-label={`${path} is being read`} /> : null}
      {reason === null ? null : <span className="doubt">{reason}</span>}
      {documents.map((document) => (
        <Details key={document.id} document={document} scope={scope} />
      ))}
    </li>
  );
}

function startOf({ id, version }: WireFile["documents"][number], scope: string, tenant: string | null): Route {
  const domain = new URLSearchParams(scope).get("domain");
  return { room: "read", document: id, start: null, end: null, version, quote: null, domain, tenant };
}

type VersionsProps = Pick<FileItemProps, "scope"> & { readonly document: WireFile["documents"][number] };

/** Shows a summary of a document and the differences between its versions. They are loaded when the user opens this section. */
function Details(props: VersionsProps) {
  const [open, setOpen] = useState(false);
  return (
    <details className="outline" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="muted">
        Summary and versions<span className="visually-hidden"> of {props.document.title}</span>
      </summary>
      {open ? <DocumentSummary {...props} /> : null}
      {open ? <VersionList {...props} /> : null}
    </details>
  );
}

function DocumentSummary({ document: { id }, scope }: VersionsProps) {
  const [state, reload] = useFetched<WireDocument>(`${documentPath(id)}?${scope}`);
  if (state.type !== "ready") return <StateLine state={state} what="the document" onRetry={reload} />;
  return <Summary document={state.value}>{(heading) => <strong>{heading}</strong>}</Summary>;
}

function VersionList({ document, scope }: VersionsProps) {
  const [before, setBefore] = useState("");
  const [state, reload] = useFetched<WireVersions>(`${documentPath(document.id)}/versions?${scope}`);
  if (state.type !== "ready") return <StateLine state={state} what="the versions" onRetry={reload} />;
  const [current, ...earlier] = state.value.items;
  if (current === undefined || earlier.length === 0)
    return <p>There is one version: the document has not changed since it was ingested.</p>;
  const kept = earlier.filter((version) => version.kept);
  // Name an earlier version by the number of versions since then, because hashes mean nothing to users.
  const name = (back: number) => (back === 1 ? "the previous version" : `${formatCount(back, "version")} earlier`);
  const choices = [["", "nothing"] as const, ...kept.map((one) => [one.version, name(earlier.indexOf(one) + 1)] as const)];
  return (
    <>
      <p>
        {formatCount(earlier.length, "earlier version")}
        {kept.length < earlier.length
          ? `, of which ${formatNumber(kept.length)} can still be read. The text of an earlier version is kept while a recorded answer may depend on it.`
          : "."}
      </p>
      {kept.length === 0 ? null : (
        <div className="filters">
          <SelectField label="Compare the current version with" value={before} options={choices} onChange={setBefore} />
        </div>
      )}
      {before === "" ? null : <Difference key={before} {...{ document, scope, before }} />}
    </>
  );
}

function Difference({ document: { id, title }, scope, before }: VersionsProps & { readonly before: string }) {
  const { api } = useAccount();
  const path = documentPath(id);
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
