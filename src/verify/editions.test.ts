import { describe, expect, it } from "vitest";
import { areEditions, type Edition, editionOf, laterEdition, readEdition, withoutYears } from "./conflicts.ts";

describe("editions", () => {
  it("are titles that differ in their years alone", () => {
    const are = (a: string, b: string) => areEditions(editionOf(a) as Edition, editionOf(b) as Edition);
    expect(are("Fees 2024", "Fees 2025")).toBe(true);
    expect(are("2024 – Fees", "Fees (2025)")).toBe(true);
    expect(are("Fees 2023/24", "fees 2024-25")).toBe(true);
    expect(are("Fees 2024", "Fees, 2024")).toBe(false);
    expect(are("Fees 2024", "Rooms 2025")).toBe(false);
  });

  it("need a year and something beside it", () => {
    for (const title of ["Fees", "2024", "Form 20245", "Fee of $2024", "Part B2024", "Sum 2,024"])
      expect(editionOf(title), title).toBeNull();
    expect(withoutYears("Fees 2024 › Cards")).toBe("Fees › Cards");
  });

  it("may be undated, and are then neither earlier nor later", () => {
    const are = (a: string, b: string) => areEditions(readEdition(a) as Edition, readEdition(b) as Edition);
    expect(are("Fees", "Fees 2024")).toBe(true);
    expect(are("Fees", "fees")).toBe(false);
    expect(are("Fees", "Rooms 2024")).toBe(false);
    expect(laterEdition("Fees", "Fees 2024")).toBeNull();
    expect(readEdition("2024")).toBeNull();
  });

  it("follow one another", () => {
    expect(laterEdition("Fees 2024", "Fees 2025")).toBe("b");
    expect(laterEdition("Fees 2024/25", "Fees 2023/24")).toBe("a");
    expect(laterEdition("Fees 2024", "Rooms 2025")).toBeNull();
  });
});
