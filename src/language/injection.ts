/** Signs that a text tries to give orders to the system rather than to ask it. A heuristic: each is a phrase that questions about documents do not use. */
const SIGNALS: readonly { readonly name: string; readonly pattern: RegExp }[] = [
  { name: "role-marker", pattern: /^\s*(?:system|assistant|developer)\s*:|<\|(?:im_start|system|endoftext)|\[\/?inst\]/im },
  {
    name: "ignore-instructions",
    pattern:
      /\b(?:ignore|disregard|forget|override|bypass)\b.{0,30}\b(?:instructions?|rules?|prompts?|polic(?:y|ies)|guidelines?|previous|above)\b/i,
  },
  {
    name: "disable-safety",
    pattern:
      /\b(?:skip|disable|turn off|without)\b.{0,20}\b(?:the )?(?:citations?|refusal|checks?|safety|filters?|verification)\b|\brefusal policy\b/i,
  },
  { name: "context-break", pattern: /<\/?(?:context|system|instructions?|documents?|prompt)>|<!--|-->/i },
  {
    name: "secrets",
    pattern:
      /\b(?:output|print|reveal|show|repeat|leak)\b.{0,40}\b(?:api[ _-]?keys?|system prompt|hidden prompt|credentials|passwords?)\b/i,
  },
  {
    name: "role-play",
    pattern:
      /\b(?:you are now|pretend (?:to be|you)|new task:|from now on)\b|(?:^|[.!?;:,\n]\s*|\b(?:please|now|you (?:must|should|will|shall))\s+)act as (?:an?|if)\b/i,
  },
  {
    name: "dictated-answer",
    pattern: /\banswer only with\b|\bcite\b.{0,60}\bas (?:your|the) source\b|\bstate that\b.{0,80}\b(?:grants?|pays?|guarantees?)\b/i,
  },
];

/** Names of the signals in a text, in a fixed order. */
export function injectionSignals(text: string): string[] {
  return SIGNALS.filter(({ pattern }) => pattern.test(text)).map(({ name }) => name);
}
