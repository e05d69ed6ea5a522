/** Tokens by which chat templates mark turns: `<|im_end|>`, `</s>`, `<end_of_turn>`, `[/INST]`. Told by their shape: no document's prose has one. */
const TEMPLATE = /<[|｜][^<>\s]{1,40}[|｜]>|<\/?s>|<\/?[a-z]+(?:_[a-z]+)+>|\[\/?INST\]/i;
/** Leads a text before any word of it. */
const OPENING = new RegExp(`^(?:\\s*(?:${TEMPLATE.source}))+`, "i");
/** What stands before it was thought, not said: some models leave out where the thought began. */
const THOUGHT_END = /^[\s\S]*<\/think(?:ing)?>/i;
/** The end of a text that more text can turn into formatting, a token of a template, or a whole character. */
const MAY_GROW = /(?:\*+|<(?:[^\s<>]{0,41}|\/?[a-z0-9]{0,6}\s?\/?)|\[\/?[A-Z]{0,4}|[\uD800-\uDBFF])$/i;

export interface DraftPiece {
  /** Further text, without formatting. */
  readonly text: string;
  /** All text before this piece was a thought. */
  readonly wasThought: boolean;
}

/** The text of a draft out of the pieces in which it comes, however it is cut. */
export interface DraftText {
  /** @param last nothing follows: what could have grown is whole */
  take(more: string, last?: boolean): DraftPiece;
  /** A token of the template has ended the answer; what follows is another turn, unless it proves to have been a thought. */
  readonly ended: boolean;
}

/** Takes out what chat templates, thoughts and formatting add to an answer. */
export function createDraftText(): DraftText {
  let held = "";
  let begun = false;
  let ended = false;
  return {
    get ended() {
      return ended;
    },
    take(more, last = false) {
      held += more;
      const sure = last ? held.length : held.length - (MAY_GROW.exec(held)?.[0].length ?? 0);
      let text = held.slice(0, sure);
      held = held.slice(sure);
      const thought = THOUGHT_END.exec(text)?.[0];
      if (thought !== undefined) {
        text = text.slice(thought.length);
        begun = false;
        ended = false;
      }
      if (ended) text = "";
      if (!begun) text = text.replace(OPENING, "");
      begun ||= text.trim() !== "";
      const end = text.search(TEMPLATE);
      if (end >= 0) {
        ended = true;
        text = text.slice(0, end);
      }
      return { text: plainText(text), wasThought: thought !== undefined };
    },
  };
}

/** A text without the formatting that models add unasked. */
function plainText(text: string): string {
  return text.replaceAll(/<\/?(?:p|br|ul|ol|li|h[1-6])\s?\/?>/gi, "\n").replaceAll(/<\/?(?:b|i|em|strong)>|\*\*|`/gi, "");
}
