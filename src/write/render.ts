import { escapeUTF8 as escapeHtml } from "entities";
import type { Answer } from "../types.ts";

/** What stands for the answer when it is a refusal, otherwise its sentences in order; citations as `[n]`. */
export function renderAnswerPlain(answer: Answer): string {
  if (answer.refusal !== null) return answer.refusal.message;
  return answer.sentences.map(({ text, citations }) => `${text}${citations.map((n) => ` [${n}]`).join("")}`).join("\n");
}

/** The same as HTML, built from the checked structure only; every text is escaped, links are http(s) only. */
export function renderAnswerHtml(answer: Answer): string {
  if (answer.refusal !== null) return `<p>${escapeHtml(answer.refusal.message)}</p>`;
  const paragraphs = answer.sentences.map(({ text, citations }) => {
    const marks = citations.map((n) => `<sup><a href="#citation-${n}">[${n}]</a></sup>`).join("");
    return `<p>${escapeHtml(text)}${marks}</p>`;
  });
  const sources = answer.citations.map(({ n, title, url, quote }) => {
    const name = escapeHtml(title);
    const linked = url !== null && /^https?:\/\//i.test(url) ? `<a href="${escapeHtml(url)}" rel="noopener">${name}</a>` : name;
    return `<li id="citation-${n}" value="${n}">${linked}: <q>${escapeHtml(quote)}</q></li>`;
  });
  return `${paragraphs.join("")}${sources.length > 0 ? `<ol>${sources.join("")}</ol>` : ""}`;
}
