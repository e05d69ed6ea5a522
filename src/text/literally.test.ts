import fc from "fast-check";
import { expect, it } from "vitest";
import { literally } from "./literally.ts";

it("finds exactly the text, whatever it holds", () => {
  const marks = fc.string({ unit: fc.constantFrom("a", ".", "*", "+", "?", "^", "$", "{", "}", "(", ")", "|", "[", "]", "\\") });
  fc.assert(
    fc.property(marks, (text) => {
      const whole = new RegExp(`^(?:${literally(text)})$`);
      expect(whole.test(text)).toBe(true);
      expect(whole.test(`${text}a`)).toBe(false);
    }),
  );
});
