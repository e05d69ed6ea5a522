import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import type { WireDomains } from "../../src/client/index.ts";
import { createApi } from "../app/api.ts";
import type { Account } from "../app/use-account.ts";
import type { Loaded } from "../app/use-loaded.ts";
import { StartForm } from "./evaluate-room.tsx";

const nothing = () => {};

function rendered(domains: Loaded<WireDomains>): string {
  const account: Account = {
    ...{ api: createApi(() => null), caller: { type: "loading" }, domains, domain: null, signedIn: false, owner: "no key" },
    ...{ preferences: { domain: "", tenant: "", profile: "", theme: "system" }, prefer: nothing },
    ...{ signIn: async () => {}, signOut: nothing, reload: nothing },
  };
  return renderToStaticMarkup(<StartForm account={account} isRunning={false} onStarted={nothing} />);
}

describe("StartForm", () => {
  it("says nothing of the documents' questions while nobody knows of them", () => {
    const html = rendered({ type: "loading" });
    expect(html).not.toContain("No set of questions");
    expect(html).not.toContain("File of questions");
  });

  it("takes a file where the documents bring no questions", () => {
    const html = rendered({ type: "ready", value: { domains: [], profiles: [] } });
    expect(html).toContain("No set of questions comes with these documents: choose a file of your own.");
    expect(html).toContain('type="file"');
  });

  it("says why it does not know what can be asked about, and offers to try again", () => {
    const html = rendered({ type: "failed", code: "unreachable", message: "The server was not reached." });
    expect(html).toContain("The server was not reached.");
    expect(html).toContain("Try again");
    expect(html).not.toContain("No set of questions");
  });
});
