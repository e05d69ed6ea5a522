/** Questions to begin with, by domain. A domain without any shows none. */
export const EXAMPLE_QUESTIONS: Readonly<Record<string, readonly string[]>> = {
  veterans: [
    "How are two disability ratings combined?",
    "How long do I have to ask for a Higher-Level Review?",
    "Which form do I use to claim disability compensation?",
  ],
};
