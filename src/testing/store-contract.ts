import { describeCache } from "./store/cache.ts";
import { describeContents } from "./store/contents.ts";
import { describeDocuments } from "./store/documents.ts";
import type { StoreUnderTest, WithStore } from "./store/fixtures.ts";
import { describeJobs } from "./store/jobs.ts";
import { describeReports } from "./store/reports.ts";
import { describeRest } from "./store/rest.ts";
import { describeReview } from "./store/review.ts";
import { describeService } from "./store/service.ts";
import { describeSessions } from "./store/sessions.ts";
import { describeSessionsOfUsers } from "./store/sessions-of-users.ts";

export { fileContent, type StoreUnderTest, storedDocument } from "./store/fixtures.ts";

/** Defines the tests that every `Store` must pass. */
export function describeStoreContract(name: string, open: () => Promise<StoreUnderTest>): void {
  const withStore: WithStore = (use) => async () => {
    const under = await open();
    try {
      await use(under);
    } finally {
      await under.store.close();
      await under.second.close();
    }
  };

  describeDocuments(name, withStore);
  describeCache(name, withStore);
  describeSessions(name, withStore);
  describeReports(name, withStore);
  describeSessionsOfUsers(name, withStore);
  describeReview(name, withStore);
  describeContents(name, withStore);
  describeJobs(name, withStore);
  describeRest(name, withStore);
  describeService(name, withStore);
}
