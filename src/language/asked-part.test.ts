import { describe, expect, it } from "vitest";
import { type AskedPart, askedPart, isPart } from "./question.ts";

describe("askedPart", () => {
  it.each([
    ["What is step 4?", ["4"], "What is ?"],
    ["What does clause 2.3 say?", ["2.3"], "What does "],
    ["Who signs under section 5(b)?", ["5", "b"], "Who signs under ?"],
    ["What does rule (d) of the club say?", ["d"], "What does  of the club say?"],
    ["Is rule 4 open?", ["4"], "Is  open?"],
  ])("finds the part and the rest: %s", (question, numbers, rest) => {
    expect(askedPart(question)).toMatchObject({ numbers, rest });
  });

  it.each([
    "What happens after 4 days?",
    "How much is 4%?",
    "Who won in 1998?",
    "Why keep data 2 yrs?",
    "Who owns a Basecamp 4 account?",
    "What do steps 2 and step 4 say?",
    "What costs $4.50?",
  ])("finds none: %s", (question) => expect(askedPart(question)).toBeNull());
});

describe("isPart", () => {
  const part = (question: string) => askedPart(question) as AskedPart;
  it.each([
    ["What is step 4?", ["Opening"], "4. Wait.", true],
    ["What is step 4?", ["Opening"], "Step 4: Wait.", true],
    ["What is step 4?", ["Opening"], "4 dogs wait.", false],
    ["What is step 4?", ["Opening"], "14. Wait.", false],
    ["What is step 4?", ["4 Opening"], "It is open.", false],
    ["What does clause 2.3 say?", ["Lease", "2. Repairs"], "2.3 The tenant tells.", true],
    ["What does clause 2.3 say?", ["Lease", "Clause 2.3"], "The tenant tells.", true],
    ["What does section 5(b) say?", ["By-laws", "5. Elections"], "(b) A candidate needs six.", true],
    ["What does section 5(b) say?", ["By-laws", "6. Meetings"], "(b) The quorum is fifteen.", false],
  ])("%s below %j: %s", (question, above, text, expected) => {
    expect(isPart(part(question), above, text)).toBe(expected);
  });
});
