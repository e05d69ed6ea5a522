import type { DomainIndex, SearchRequest } from "../../src/retrieval/domain-index.ts";

/** Returns a request for the words of a question in the domain `d`, for anybody. */
export function searchRequest(corpus: DomainIndex, question: string, over: Partial<SearchRequest> = {}): SearchRequest {
  return {
    ...{ terms: corpus.tokens(question), codes: [], vector: null, bm25: true, candidates: 10 },
    ...{ scope: { domain: "d", tenant: null, access: ["public"] }, alpha: 0.6, beta: 0.4, fusion: "min-max" },
    ...over,
  };
}

export const documentsFound = async (corpus: DomainIndex, question: string, over: Partial<SearchRequest> = {}): Promise<string[]> =>
  (await corpus.search(searchRequest(corpus, question, over))).map(({ documentId }) => documentId);
