import { bindCorrection } from "../answer/correct-answer.ts";
import { createMemory, type Memory } from "../remember/memory.ts";
import type { Answer, Question, Scope } from "../types.ts";
import type { PartsFor } from "./answer-parts.ts";
import { scopeOf } from "./domain.ts";
import type { Domains } from "./domains.ts";
import type { Opened } from "./open.ts";

/** What is remembered of questions; a reviewer's answer is bound to documents by the checks of the profile that was asked. */
export function createBoundMemory(opened: Opened, domains: Domains, partsFor: PartsFor): Memory {
  const { store, config, retention, createId } = opened;
  return createMemory({
    ...{ store, retention, createId },
    privacy: config.privacy,
    sessionTurns: config.session.turns,
    domain: (name) => domains.pack(name).name,
    bind: ({ domain, tenant, access, profile, question }, before, id, text) => {
      const pack = domains.pack(domain);
      return bindCorrection(
        { id, text, question: questionOf(question, scopeOf(pack, tenant, access), profile), cited: documentsByNumber(before) },
        partsFor(pack, domains.profile(pack, profile), { type: "shipped" }),
      );
    },
  });
}

/** A question of earlier as it stands alone. */
function questionOf(text: string, scope: Scope, profile: string): Question {
  const alone = { sessionId: null, selection: null, history: [], injectionSignals: [] };
  return { ...alone, text, resolved: text, scope, profile, detail: "normal" };
}

function documentsByNumber({ citations }: Answer): Map<number, string> {
  return new Map(citations.map(({ n, documentId }) => [n, documentId]));
}
