import { describe, expect, it } from "vitest";
import { sourcebound } from "../profiles/sourcebound.ts";
import { checkSentence } from "./check.ts";
import { createReader } from "./statements.ts";

const reader = createReader();

async function polarity(text: string, stated: string, above: readonly string[] = []): Promise<string | undefined> {
  const context = { settings: sourcebound.check, hosts: [], homePage: null, reader, question: "What holds?", support: null };
  const { results } = await checkSentence({ text, cited: [{ text: stated, above, url: null, exact: true }] }, context);
  return results.find(({ name }) => name === "polarity")?.verdict;
}

const GRILLS = "Charcoal grills are forbidden on balconies. Electric grills may be used until 21:00.";
const DRILLS = "Drilling is allowed on weekdays from 08:00 to 12:00. Drilling is forbidden on Sundays.";
const NOT_ALLOWED = "Drilling is allowed on weekdays from 08:00 to 12:00. Drilling is not allowed on Sundays.";

describe("a word and its opposite", () => {
  it.each([
    ["Grilling with charcoal is not allowed on balconies.", GRILLS],
    ["Charcoal grills are not allowed on balconies.", "Charcoal grills are forbidden on balconies. Gas grills are allowed on balconies."],
    ["Drilling is not allowed on Sundays.", DRILLS],
    ["Drilling is forbidden on Sundays.", NOT_ALLOWED],
    ["The price does not include breakfast.", "The price includes towels. The price excludes breakfast."],
  ])("are the same where one of them is denied: %s", async (text, stated) => {
    expect(await polarity(text, stated)).toBe("pass");
  });

  it.each([
    ["Charcoal grills are allowed on balconies.", GRILLS],
    ["Drilling is allowed on Sundays.", NOT_ALLOWED],
    ["Drilling is not allowed on Sundays.", "Drilling is not forbidden on Sundays, and allowed on weekdays."],
  ])("contradict where both or none are denied: %s", async (text, stated) => {
    expect(await polarity(text, stated)).toBe("fail");
  });
});

describe("what stands below a heading that denies", () => {
  const below = (text: string, stated: string, heading: string) => polarity(text, stated, ["Pool rules", heading]);

  it.each([
    ["Glass bottles are allowed.", "Glass bottles", "Not allowed"],
    ["Teeth whitening is included.", "Teeth whitening", "What is not included"],
  ])("is not affirmed: %s", async (text, stated, heading) => expect(await below(text, stated, heading)).toBe("fail"));

  it.each([
    ["Glass bottles are not allowed.", "Glass bottles", "Not allowed"],
    ["Glass bottles are allowed.", "Glass bottles", "Allowed"],
    ["Bringing glass bottles is prohibited.", "Glass bottles", "Do not bring"],
    ["Hold the card to the reader so that the gate opens.", "Hold the card to the reader for 5 seconds.", "The gate does not open"],
    ["Gift cards are excluded from refunds.", "Gift cards and vouchers.", "No refunds"],
    ["Water damage is covered after storms.", "Water damage is covered after a storm.", "What is not covered, and what is"],
    ["At nine the sauna opens.", "The sauna opens at nine.", "Not allowed"],
  ])("passes as it is said: %s", async (text, stated, heading) => expect(await below(text, stated, heading)).toBe("pass"));
});
