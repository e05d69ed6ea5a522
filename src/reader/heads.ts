/** What a head of the model gives for a token: one logit, or three. */
export const HEAD_OUTPUTS = { answer: 1, claim: 3, pair: 1, tokens: 3 } as const;
export type Head = keyof typeof HEAD_OUTPUTS;
