import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Fictional rules of two libraries, which no model knows from its training. */
export const LIBRARY_PACK = `name: library
title: Town library
base_url: https://library.example
strip_prefix: pages/
home_page: https://library.example/
hosts: [library.example]
semantic_cache: true
contacts:
  - { name: Front desk, contact: 555-0100 }
  - { name: Fines office, contact: 555-0199, when: [fine, fee] }
hotlines:
  - name: Help line
    text: "You are not alone: call 988 at any hour."
    when: [suicide, kill myself]
topics:
  - { slug: cards, name: Library cards, keywords: [library card, card] }
  - { slug: fines, name: Fines, keywords: [fine, overdue] }
complexity:
  comparison: [compare, versus]
entities:
  - { type: thing, canonical: $1, patterns: ['\\b(library card|film|book|study room)s?\\b'] }
  - { type: form, canonical: Form $1, patterns: ['\\bform\\s+([A-Z]-\\d+)\\b'] }
tenants:
  alice: { title: Alice's branch, terms: { card: pass } }
  bob: { title: Bob's branch }
`;

/** Documents by path. Each fact occurs exactly once. */
export const LIBRARY_DOCUMENTS: Readonly<Record<string, string>> = {
  "cards.md": `---
title: Library cards
as_of: 2026-02-01
---
# Library cards

A library card costs **5 dollars** per year. Children under 12 pay [nothing](https://library.example/children/).

## Lost cards

Replacing a lost card costs 3 dollars &amp; takes two days.
`,
  "loans.md": `# Loans

Books may be kept for 21 days. Films may be kept for 7 days.

| Item | Loan period |
| --- | --- |
| Atlas | 3 days |
| Magazine | 10 days |

## Renewing

A loan can be renewed twice unless another reader has reserved the book.
`,
  "fines.txt": "Overdue books cost 20 cents per day. A fine never exceeds 10 dollars.\n",
  "rooms/study.html":
    "<!doctype html><title>Study rooms</title><h1>Study rooms</h1><p>A study room can be reserved for <b>2 hours</b> &amp; seats 6 people.</p>",
};

/** One answerable question per document. */
export const LIBRARY_QUESTIONS = [
  { question: "How much does a library card cost?", path: "cards.md", holds: "5 dollars" },
  { question: "How long may books be kept?", path: "loans.md", holds: "21 days" },
  { question: "What do overdue books cost?", path: "fines.txt", holds: "20 cents" },
  { question: "For how long can a study room be reserved?", path: "rooms/study.html", holds: "2 hours" },
] as const;

/** The question about the price of a card, as most tests ask it. */
export const CARD: string = LIBRARY_QUESTIONS[0].question;

export const UNANSWERABLE = "Which vaccines does the zoo require for penguins?";

export function writeFiles(folder: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

export interface Sandbox {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  remove(): void;
}

/** Creates a temporary folder with the pack under `domains/` and the documents under `documents/`. */
export function createSandbox(documents: Readonly<Record<string, string | Uint8Array>> = LIBRARY_DOCUMENTS): Sandbox {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "sourcebound-test-")));
  mkdirSync(join(folder, "documents"));
  writeFiles(folder, { "domains/library/domain.yaml": LIBRARY_PACK });
  writeFiles(join(folder, "documents"), documents);
  return {
    folder,
    env: {
      SOURCEBOUND_DOMAINS_DIR: join(folder, "domains"),
      SOURCEBOUND_DOMAIN: "library",
      SOURCEBOUND_DATA_DIR: join(folder, "data"),
      // The bundled threshold does not suit four short pages; other tests cover it.
      SOURCEBOUND_ANSWER_FROM: "0.5",
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
