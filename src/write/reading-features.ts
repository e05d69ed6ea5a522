/** What the score of a piece that was read is made of: its score at a glance, and the cosine of question and piece. */
export const READING_FEATURES = ["score", "reading"] as const;

/** What the chance of an answer takes from readings: log odds at a glance, lead of the best piece, and its cosine. */
export const READ_ANSWER_FEATURES = ["glance", "score.ahead", "reading"] as const;
