// @module-tag all/opensearch
import { afterEach, describe } from "vitest";
import { OpenSearchEngine } from "../src/retrieval/opensearch/opensearch-engine.ts";
import { describeSearchEngineContract } from "../src/testing/search-engine-contract.ts";
import { connectOpenSearch, deleteIndexes, whyNoOpenSearch } from "./support/opensearch.ts";

describe.skipIf(whyNoOpenSearch !== null)("OpenSearch", () => {
  const { connection, prefix } = connectOpenSearch();
  let made = 0;
  const open = async () =>
    new OpenSearchEngine({
      ...{ connection, prefix: `${prefix}-${++made}`, domain: "d", store: "one", shards: 1 },
      createId: () => String(++made),
      isCurrent: async () => () => true,
    });
  afterEach(() => deleteIndexes(connection, prefix));

  describeSearchEngineContract("OpenSearchEngine", open, { runs: 3 });
});
