import { describe, expect, it } from "vitest";
import { checkLanguage } from "../pipeline/write.ts";

const ENGLISH = ["Tinnitus is rated at 10 percent, whether it is in one ear or both."];
const GERMAN = ["Der Tarif wird vom Bundesamt jedes Jahr neu festgelegt."];

describe("checkLanguage", () => {
  it.each([
    ["German", "Tinnitus wird mit 10 Prozent bewertet, egal ob in einem oder in beiden Ohren."],
    ["Spanish", "El tinnitus se califica con 10 por ciento en uno o ambos oídos."],
    ["Chinese or Japanese", "耳鸣的评级为10%,无论是一只耳朵还是两只耳朵。"],
    ["Cyrillic", "Шум в ушах оценивается в 10 процентов."],
    ["Arabic", "يتم تقييم طنين الأذن بنسبة 10 بالمائة."],
  ])("fails %s beside English quotes", (name, text) => {
    expect(checkLanguage(text, ENGLISH, [])).toMatchObject({
      name: "language",
      verdict: "fail",
      reason: expect.stringContaining(`is ${name}`),
    });
    expect(checkLanguage(text, [], ENGLISH)).toMatchObject({ verdict: "fail" });
    expect(checkLanguage(text, ["Tinnitus | 10"], ENGLISH)).toMatchObject({ verdict: "fail" });
  });

  it.each([
    "Tinnitus is rated at 10 percent.",
    "VA Form 21-526EZ",
    "La Crosse, Las Cruces and Des Moines have clinics.",
    "The nexus must be shown de novo and pro rata.",
    "μg of 5 α-blockers are the dose.",
    "",
  ])("passes %j", (text) => expect(checkLanguage(text, ENGLISH, ENGLISH)).toBeNull());

  it("expects the language of the quotes", () => {
    expect(checkLanguage("Der Betrag wird jedes Jahr geändert.", GERMAN, [])).toBeNull();
    expect(checkLanguage("The tariff is set anew by the office every year.", GERMAN, ENGLISH)).toMatchObject({ verdict: "fail" });
    expect(checkLanguage("Тариф 5.", ["Тариф меняется каждый год."], [])).toBeNull();
  });
});
