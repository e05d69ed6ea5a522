/** Kinds of personal data that are recognised by form alone. */
const PATTERNS: readonly { readonly kind: string; readonly pattern: RegExp; readonly accept?: (match: string) => boolean }[] = [
  { kind: "email", pattern: /\b[\w.+-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,5}\b/gi },
  { kind: "ssn", pattern: /\b(?!000|666|9\d\d)\d{3}[- ](?!00)\d{2}[- ](?!0000)\d{4}\b/g },
  { kind: "card", pattern: /\b\d(?:[ -]?\d){12,18}\b/g, accept: passesLuhn },
  { kind: "phone", pattern: /(?<![\d-])(?:\+?1[-. ]?)?(?:\(\d{3}\) ?|\d{3}[-. ])\d{3}[-. ]\d{4}(?![\d-])/g },
];

/** The text with what looks like personal data replaced by its kind: `[email]`, `[ssn]`, `[card]`, `[phone]`. For everything that is stored. */
export function redactPersonalData(text: string): string {
  return PATTERNS.reduce(
    (redacted, { kind, pattern, accept }) =>
      redacted.replaceAll(pattern, (match) => (accept === undefined || accept(match) ? `[${kind}]` : match)),
    text,
  );
}

/** Luhn's checksum of card numbers (ISO/IEC 7812-1, annex B). */
export function passesLuhn(text: string): boolean {
  const digits = [...text].filter((c) => c >= "0" && c <= "9").map(Number);
  const sum = digits.reverse().reduce((total, digit, i) => total + (i % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2), 0);
  return digits.length >= 13 && sum % 10 === 0;
}
