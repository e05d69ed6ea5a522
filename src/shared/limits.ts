/** Maximum length of a rating's reason in characters: a sentence or two. Server and clients share it. */
export const MAX_FEEDBACK_CHARACTERS = 500;
