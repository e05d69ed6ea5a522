const NAME = String.raw`(?:[A-Z][\w'’.-]{0,30}|\d{1,3}(?:st|nd|rd|th))`;
/** Words that are hardly anything but a street. */
const STREET = "Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Highway|Hwy|Parkway|Pkwy|Terrace|Drive|Dr|Crescent|Alley|Turnpike|Tpke";
/** Words that are much else too; the rest of an address has to follow. */
const PLACE = "Court|Ct|Place|Pl|Way|Circle|Cir|Square|Sq|Loop|Trail|Trl|Plaza|Row|Path";
const UNIT = String.raw`(?:,?\s+(?:Apt|Apartment|Suite|Ste|Unit|Room|Rm|Floor|#)\.?\s*#?\w{1,6})`;
const STATE =
  "A[KLRZ]|C[AOT]|D[CE]|FL|GA|GU|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|P[AR]|RI|S[CD]|T[NX]|UT|V[AIT]|W[AIVY]|A[AEP]";
const TOWN = String.raw`(?:,?\s+[A-Z][\w'’.-]{1,30}(?:\s[A-Z][\w'’.-]{1,30}){0,2},?\s+(?:${STATE})\b(?:\s+\d{5}(?:-\d{4})?)?)`;
const NUMBER = String.raw`(?<![\w$.§/-])\d{1,6}[A-Z]?(?:-\d{1,4})?`;

/** Forms of postal addresses of the United States, and the house-before-street form of other countries that write it so. */
const FORMS = [
  String.raw`${NUMBER}(?:\s${NAME}){1,4}\s(?:${STREET})\b\.?${UNIT}?${TOWN}?`,
  String.raw`${NUMBER}(?:\s${NAME}){1,4}\s(?:${PLACE})\b\.?(?:${UNIT}${TOWN}?|${TOWN})`,
  String.raw`\bP\.?\s?O\.?\s?Box\s\d{1,6}\b${UNIT}?${TOWN}?`,
  String.raw`\b(?:PSC|Unit|CMR)\s\d{1,5},?\sBox\s\d{1,6}\b(?:,?\s+[AFD]PO,?\s+A[AEP]\s+\d{5})?`,
  String.raw`\b[A-Z][\w'’.-]{1,30}(?:\s[A-Z][\w'’.-]{1,30}){0,2},\s(?:${STATE})\s\d{5}(?:-\d{4})?\b`,
];
export const STREET_ADDRESS = new RegExp(FORMS.join("|"), "g");

/** Where someone says that it is their address, small letters will do. */
export const TOLD_ADDRESS = new RegExp(
  String.raw`\b(?:live|living|lives|reside|resides|residing|address is|address:|move|moved|moving|send it)\s(?:to|at|on|in)?\s?(${String.raw`\d{1,6}[a-z]?(?:\s[\w'’.-]{1,30}){1,4}\s(?:${STREET}|${PLACE})`}\b\.?(?:,?\s(?:apt|apartment|suite|unit|#)\.?\s?#?\w{1,6})?)`,
  "gi",
);
