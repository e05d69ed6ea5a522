declare module "stopword" {
  /** Stop words, lower case: English, German, French, Spanish, Italian, Portuguese, Dutch. */
  export const eng: readonly string[];
  export const deu: readonly string[];
  export const fra: readonly string[];
  export const spa: readonly string[];
  export const ita: readonly string[];
  export const por: readonly string[];
  export const nld: readonly string[];
}
