import { readPlain } from "./phrases.ts";

/** Words of greeting, thanks and leave: a closed class, and only a message of nothing else is taken for one. */
const COURTESY = new Set(
  "hi hello hey heya hiya howdy greetings good morning afternoon evening day night there all everyone again thanks thank thx ty you so very much many a lot cheers ok okay great nice cool perfect bye goodbye ciao please".split(
    " ",
  ),
);
/** What people ask of the system itself. */
const ABOUT_ITSELF =
  /^(?:(?:hi|hello|hey) )?(?:what (?:can|do) you (?:do|know|know about|help with|answer)|what can i ask(?: you)?|what are you|who are you|what is this|what(?: i)?s this|how does this work|how do you work|help|help me|what is in here|what do you have)$/;

/** Is this no question to the documents, but a greeting, thanks, or a question about the system itself? */
export function isSmallTalk(message: string): boolean {
  const words = message
    .toLowerCase()
    .replaceAll(/['’]/g, "")
    .match(/[\p{L}\p{N}]+/gu);
  if (words === null || words.length > 8 || readPlain(message).letters === "") return false;
  return words.every((word) => COURTESY.has(word)) || ABOUT_ITSELF.test(words.join(" "));
}
