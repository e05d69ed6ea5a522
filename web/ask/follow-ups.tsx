import { useCallback } from "react";
import type { WireAnswer, WireDocument } from "../../src/client/index.ts";
import type { Api } from "../app/api.ts";
import { formatRoute } from "../app/route.ts";
import { useLoaded } from "../app/use-loaded.ts";
import type { AskedHow } from "./conversation/state.ts";

export interface FollowUpsProps {
  readonly api: Pick<Api, "get">;
  readonly answer: WireAnswer;
  readonly asked: AskedHow;
  readonly busy: boolean;
  readonly onAsk: (question: string) => void;
}

const MOST = 4;

/** What the first cited document says beside the answer: headings that ask are asked, others are read. */
export function FollowUps({ api, answer, asked, busy, onAsk }: FollowUpsProps) {
  const cited = answer.citations[0];
  const scope = new URLSearchParams({ domain: answer.domain, ...(asked.tenant === undefined ? {} : { tenant: asked.tenant }) });
  const path = `/v1/documents/${encodeURIComponent(cited?.document_id ?? "")}?${scope}`;
  const [state] = useLoaded(useCallback((signal) => api.get<WireDocument>(path, signal), [api, path]));
  if (state.type !== "ready" || cited === undefined) return null;
  const quoted = new Set(answer.citations.flatMap(({ heading_path: headings }) => headings.at(-1) ?? []));
  const { id, outline, version, title } = state.value;
  const headings = outline.filter(({ text }) => !quoted.has(text) && text !== title).slice(0, MOST);
  if (headings.length === 0) return null;
  return (
    <section className="follow-ups" aria-label={`Also in ${title}`}>
      <h3>Also in “{title}”</h3>
      <ul>
        {headings.map(({ text, start }) => (
          <li key={start}>
            {isQuestion(text) ? (
              <button type="button" disabled={busy} onClick={() => onAsk(text)}>
                {text}
              </button>
            ) : (
              <a
                href={formatRoute({
                  ...{ room: "read", document: id, start, end: start + text.length, version, quote: text },
                  ...{ domain: answer.domain, tenant: asked.tenant ?? null },
                })}
              >
                {text}
              </a>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function isQuestion(heading: string): boolean {
  return heading.endsWith("?");
}
