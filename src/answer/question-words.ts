import type { Profile } from "../profiles/profile.ts";
import { type QuestionReader, type QuestionWords, questionWords } from "../retrieve/understand.ts";
import type { Question } from "../types.ts";

/** What reading the words of a question needs. */
export interface WordParts {
  readonly corpus: QuestionReader;
  readonly profile: Profile;
}

/** The index as it looks from one question, as far as its asker may see it. */
export function wordsFor(question: Question, { corpus, profile }: WordParts): QuestionWords {
  const { query } = profile.retrieve;
  const understood = corpus.understand(question, query);
  const own =
    question.text === question.resolved ? understood : corpus.understand({ resolved: question.text, scope: question.scope }, query);
  return questionWords(understood, own, corpus.wordsIn(question.scope));
}
