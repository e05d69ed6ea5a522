/** Maximum characters of the reason that a user gives for a rating. Server and clients share this limit. */
export const MAX_FEEDBACK_CHARACTERS = 500;
