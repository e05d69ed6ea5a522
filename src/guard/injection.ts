/** Patterns by name of the signal. */
type Signals = Readonly<Record<string, RegExp | readonly RegExp[]>>;

const ROLE_MARKER = /^\s*(?:system|assistant|developer)\s*:|<\|(?:im_start|system|endoftext)|\[\/?inst\]/im;

/** Patterns of questions that imitate the structure of a prompt. */
const MARKUP: Signals = {
  "role-marker": ROLE_MARKER,
  "context-break": /<\/?(?:context|system|instructions?|documents?|prompt)>|<!--|-->/i,
};

/**
 * Returns the names of the signals that a question contains: patterns of prompt markup, and `instructions`.
 * @param isInstruction returns whether a question gives instructions to the system (`openInstructionFinder`)
 */
export function injectionSignals(question: string, isInstruction: (question: string) => boolean): string[] {
  const markup = signalsIn(question, MARKUP);
  return isInstruction(question) ? [...markup, "instructions"] : markup;
}

/**
 * Patterns of documents that give instructions to the answering model, or try to deceive people who read the text.
 * Harmless documents give instructions too ("send the form"). But they do not mention an answer, its encoding, or
 * commands for a computer.
 */
const ORDERS: Signals = {
  "role-marker": ROLE_MARKER,
  "dictated-answer":
    /\banswer only with\b|\bcite\b.{0,60}\bas (?:your|the) source\b|\bstate that\b.{0,80}\b(?:grants?|pays?|guarantees?)\b/i,
  "ignore-instructions":
    /(?<![-\w.])(?:ignore|disregard|forget|override|bypass)\b.{0,30}\b(?:(?:(?:your|previous|prior|earlier|preceding|above|system|safety)\s+){1,3}(?:instructions?|rules?|prompts?|directions?|polic(?:y|ies)|guidelines?)|(?:all|any) (?:instructions?|prompts?|guidelines?)|(?:instructions?|rules?|prompts?|polic(?:y|ies)|guidelines?|everything|all) (?:above|before|so far)|(?:previous|system) prompts?)\b/i,
  "context-break": /<\/?(?:context|system|instructions?|prompt)>|<!--/i,
  "answer-order": [
    /\b(?:add|append|answer|augment|begin|blend|boost|combine|conclude|consider|embed|encode|end|enhance|enrich|expand|express|finish|format|give|hone|improve|include|incorporate|infuse|inject|insert|integrate|introduce|mix|modify|offer|optimi[sz]e|place|provide|put|refine|rephrase|reply|respond|rewrite|send|start|strengthen|supplement|translate|transmit|turn|upgrade|use|write)\b.{0,160}\byour (?:next |final |own )?(?:answers?|reply|replies|responses?|output|explanations?|elucidations?|comments?)\b/is,
    /\b(?:in|to|into|within|by) your (?:answer|reply|response|output|elucidation|code implementation)\b,?\s.{0,60}\b(?:add|advise|ask|encourage|include|insert|invite|lure|mention|offer|persuade|prompt|promote|recommend|suggest|tell|urge)\b/is,
    /\b(?:respond|reply|answer) (?:only |exclusively |solely )?(?:in|with|using)\b(?! \d| the form| a (?:letter|form)| written)/i,
  ],
  forget: /(?<![-\w.])(?:forget|ignore|disregard)\s(?:.{0,40}\s)?(?:everything|instructions?|told|learned|said|prompts?)\b/is,
  secrecy: /\b(?:do not|don['’]t|never) (?:tell|inform|reveal to|mention (?:this|it) to) the user\b/i,
  "own-instructions": /\byour (?:initial |original |previous |system )?(?:instructions|prompt|directives|guidelines)\b/i,
  persona: /\byou are (?:now |going to )(?:act|play|pretend|be an?|an?)\b|\bdeveloper mode\b|\bdo anything now\b|\bjailbr(?:eak|oken)\b/i,
  command:
    /```|\b(?:rm -rf|powershell(?:\.exe)? -|cmd\.exe \/|Invoke-WebRequest)|\b(?:curl|wget)\b[^\n|]{1,200}\|\s*(?:ba)?sh\b|\bos\.(?:system|remove|dup2)\(|\bsubprocess\.\w+\(|^\s*(?:import|from) [\w.]+(?: import [\w, ]+)?(?:, \w+)*$|\b(?:eval|exec)\(/im,
  script: /<\s*(?:script|iframe|img|svg|object|embed|form)\b|\bjavascript\s*:|\bdata:text\/html/i,
  bait: /\b(?:click|tap) (?:(?:on )?(?:here|this)|(?:on )?the (?:following link|(?:link|button) (?:below|above)))\b/i,
};

/** Returns the names of the signals in a document, or in text that was written from a document. */
export function documentOrders(text: string): string[] {
  return signalsIn(text, ORDERS);
}

function signalsIn(text: string, signals: Signals): string[] {
  return Object.keys(signals).filter((name) => [signals[name] ?? []].flat().some((pattern) => pattern.test(text)));
}
