import { decimal } from "../../src/grading/report.ts";
import { profiles } from "../../src/profiles/index.ts";
import { FOREIGN_LANGUAGE } from "../../src/profiles/profile.ts";
import { type Measured, measured } from "./measurements.ts";
import { FOREIGN_TEST, RULE_TESTS } from "./rule-tests.ts";
import { cell, markdownTable } from "./schema-table.ts";
import { SOURCE_ROWS } from "./source-rows.ts";

/** Figures that every profile has, by their names in the report. */
const OUTCOMES: readonly (readonly [title: string, name: string])[] = [
  ["quotes: answered, of what the documents answer", "quotes:_answered"],
  ["quotes: right", "quotes:_right"],
  ["quotes: wrong, of what is shown", "quotes:_wrong"],
  ["quotes: near misses refused", "quotes:_refused_near_miss"],
  ["quotes: out of scope refused", "quotes:_refused_out_of_scope"],
  ["writer: answered", "writer:_answered"],
  ["writer: right", "writer:_right"],
  ["writer: wrong, of what is shown", "writer:_wrong"],
  ["sought fact in the prompt, of those found", "sought_fact_in_the_prompt"],
  ["right sentences in a person's words, shown without a warning", "right_sentences_shown_clean"],
];

/** What the source of a profile says of itself, beside the name of our figure. */
const CLAIMS: Readonly<Record<string, readonly (readonly [title: string, name: string, claim: string])[]>> = {
  "seven-layer": [
    ["cost of a query, US dollars", "cost_per_query", "0.015"],
    ["written by the small model", "routed_to_the_small_model", ".70"],
    ["answers on weak retrieval", "answers_on_weak_retrieval", "0"],
  ],
  spark: [
    ["P(relevant) from .28", "P_relevant_from_.28", ".85"],
    ["P(answerable) from .35", "P_answerable_from_.35", ".90"],
    ["recall@50", "recall@50", ".94"],
    ["precision@8", "precision@8", ".87"],
    ["MRR", "MRR", ".82"],
    ["cost of a query, US dollars", "cost_per_query", "0.027"],
    ["retrieval with reranking, milliseconds, 95th percentile", "retrieval", "350"],
  ],
  "vg-rag": [
    ["verified", "verified", "–"],
    ["uncertain", "uncertain", "–"],
    ["rejected", "rejected", "–"],
    ["verified passages that hold a marked quote", "verified_hold_a_marked_quote", "–"],
    ["rejected passages that hold a marked quote", "rejected_hold_a_marked_quote", "–"],
    ["passages of which agreement speaks", "agreement_scored", "–"],
  ],
  validator: [
    ["pii_leakage passed", "pii_leakage_passed", "–"],
    ["token_budget passed", "token_budget_passed", "–"],
    ["answer_relevancy passed", "answer_relevancy_passed", "–"],
    ["faithfulness passed", "faithfulness_passed", "–"],
    ["chain_terminology passed", "chain_terminology_passed", "–"],
    ["grading overhead, milliseconds, median", "grading_overhead", "350 to 650"],
  ],
  book: [["plain questions answered", "plain_questions_answered", "–"]],
};

/** Rows of the source's table 1 that a writer's faults decide: the name of the figure in the report, and what the source says without layers, with four, with seven. */
const TABLE_1: readonly (readonly [title: string, name: string, claims: string])[] = [
  ["hallucination", "hallucination_rate", "12 / 3.2 / 1.5 %"],
  ["false addresses", "false_urls", "8 / .5 / .2 %"],
  ["fabricated numbers", "fabricated_numbers", "6 / 4 / .8 %"],
  ["invalid citations", "invalid_citations", "5 / 3 / 0 %, in its cache"],
];
/** Rows that do not hang on how often a writer errs. */
const TABLE_1_REST: typeof TABLE_1 = [
  ["answers on weak retrieval", "weak_retrieval_answers", "15 / 4 (flagged) / 0 %"],
  ["verification score", "verification_score", "78 / 94 / 98 %"],
];
const LADDER = ["none", "four", "seven", "ours"];

/** Table 1 of `seven-layer` with its own rates of faults: of a scripted writer's drafts the shares that it names are wrong. */
function layersMeasured(): string {
  const { metrics, command, date, n } = measured("ablation");
  const percent = (name: string) => {
    const value = metrics[`scripted.${name}`];
    return value === null || value === undefined ? "–" : `${(100 * value).toFixed(1)} %`;
  };
  const faults = TABLE_1.map(([title, name, claims]) => {
    const cells = LADDER.map((rung) => `${percent(`${rung}.${name}.at_source_rate`)} (${percent(`${rung}.${name}.quiet.at_source_rate`)})`);
    return `| ${title} | ${claims} | ${cells.join(" | ")} |`;
  });
  const rest = TABLE_1_REST.map(
    ([title, name, claims]) => `| ${title} | ${claims} | ${LADDER.map((rung) => percent(`${rung}.${name}`)).join(" | ")} |`,
  );
  return [
    `Table 1 of \`seven-layer\` at its own rates of faults, shown to a reader (in brackets: without a word at it): \`./run ${command}\`, ${date.slice(0, 10)}, ${n.questions} questions. What is left of each fault is put to the rate at which the source's writer made it; the verification score is with a fault of each kind in a quarter of the drafts.`,
    ["| | source: none / four / seven | none | four | seven | ours |", "| --- | --- | --- | --- | --- | --- |", ...faults, ...rest].join(
      "\n",
    ),
    "What is wrong stays in the text of `four` and `seven` with a warning at it, as their source has it; `ours` leaves it out.",
  ].join("\n\n");
}

/** Sentences of a real model, read by hand: no report holds that. */
const SMALL_MODEL = `A real small model (SmolLM2-135M-Instruct, 4 bit, replies cut at 140 tokens) through \`./run eval profiles --profiles NAME --writer configured --read FILE\` over \`retail\`, \`pharma\` and \`medquad\`, 2026-11-23, 37 sentences read beside what they cite: \`validator\` 15 and \`seven-layer\` 8, all shown with a warning (they cite nothing), the true ones among them too; \`vg-rag\` 10 and \`sourcebound\` 4, all shown without one: 7 are quotes, 1 is true, 1 no statement, **5 are false** – each of them got its citation from us, because words of another source bear it out. \`spark\` refused its four questions; \`book\` was not read. What was struck is not listed for a real model.

The fault behind the five: a sentence that cited nothing was given a source by shared words, in \`vg-rag\` and \`spark\` without any score. A sentence that cites nothing now gets a source only where a source says just that, and a source that is cited in the place of a wrong one must bear the sentence out by the learned score in every profile. The five, played again to both profiles: 0 shown; three true ones beside them are struck too, and quotes stand in their place. \`./run eval sentences --file lab/sets/own/sentences.tsv --uncited\` and \`sentences-later.tsv\`, before → now: false sentences in other words shown 24 → 0 of 60 and 8 → 0 of 30 (\`--profile vg-rag\` 28 → 0 and 10 → 0), true ones 40 → 0 and 19 → 0. Ten further sentences of the small model over \`retail\` (four drafts, none citing anything, all false or no statement): 0 shown by \`sourcebound\`. 

Read again over documents that it had not been tried on, every sentence that it wrote listed, also those that were struck: \`./run eval profiles --profiles NAME --domains SET --questions 2…10 --writer configured --read FILE\` over \`manuals\`, \`tau-policies-kb\`, \`fda-drug-labels\` and \`va-38cfr-part4\`, 2026-11-23, replies cut at 100 tokens, prompts at 600 (\`seven-layer\` and \`spark\` from the second set on at 1,500). Of its own sentences of four words or more, 93 were read beside what they cite: \`validator\` 32 (11 with a warning, 20 struck, 1 shown), \`seven-layer\` 29 (21, 8), \`vg-rag\` 14 (all struck), \`spark\` 17 (16 struck, 1 shown), \`sourcebound\` 1 (struck); \`book\` refused its questions before it wrote. **False and shown as verified: 0.** Shown without a warning: 2, one true (no early access with a Light Blue Account) and one no statement (a title). True ones: 5; one is shown, one struck (the one that is shown, said twice), three stand with a warning (\`seven-layer\`, which cites nothing). Between them stood 59 quotes that took the place of what fell.`;

/** What changed since the commit 710c1db5, profile by profile. */
const SINCE_BASE = `Since 710c1db5 (2026-11-28), measured again on the same day by the same command; it gives the figures of 2026-11-26 within two questions:

| | quotes: right | quotes: wrong, of what is shown | writer: right | right sentences shown without a warning | why |
| --- | --- | --- | --- | --- | --- |
| sourcebound | 33 → 22 of 60 | 5 of 38 → 5 of 27 | 27 → 36 of 60 | 31 of 38 → 35 of 65 | The threshold for quotes (.81) was chosen on real documents. A model gets a question from a lower one (\`write_from\`), so more is written. |
| seven-layer | 35 → 35 of 60 | 36 of 71 → 37 of 72 | 40 → 41 of 60 | 57 of 63 → 39 of 64 | Its gate is by cosine; one question more passes. |
| spark | 15 → 28 of 60 | 7 of 22 → 9 of 37 | 12 → 24 of 60 | 17 of 18 → 21 of 34 | The guard weighs the confidence more (.7 instead of .3), from .64. |
| vg-rag | 40 → 31 of 80 | 39 of 83 → 11 of 44 | 53 → 36 of 80 | 49 of 56 → 32 of 37 | Half as many passages are verified, and two of three of them hold a marked quote (before 45 %). Near misses refused 8 → 19 of 20. |
| validator | 99 of 115 → 77 of 112 | 41 of 150 → 64 of 150 | 101 of 115 → 95 of 112 | 108 of 109 → 68 of 95 | The packs retail and pharma grew from 20 to 62 documents each: other questions, and three passages of a larger choice. |
| book | 13 → 15 of 33 | 23 of 37 → 23 of 38 | 18 → 19 of 33 | 16 of 19 → 18 of 21 | The threshold is that of the present confidence: out of scope refused 2 → 4 of 4. |

Right sentences are shown clean less often for two reasons. A bare answer ("Yes.", "$39.") is replaced by the quote that it cites, which this measure counts as removed: 9 in \`sourcebound\`, 13 in \`seven-layer\`, 3 in \`spark\`, 26 in \`validator\`. Without them 35 of 56, 39 of 51, 21 of 31 and 68 of 69 are clean, against the 90 % asked. The rest falls mostly to the check \`support\`, by which the cross-encoder must support what a sentence adds: 17 of 21 in \`sourcebound\`, 11 of 12 in \`seven-layer\`, 6 of 10 in \`spark\`. \`sourcebound\` writes 6 wrong answers of 42 (before 1 of 28): in 5 of them a right sentence was removed or marked.`;

/** Why right sentences in own words fall or are doubted, by reading; and how often another passage could agree. */
const RIGHT_BUT_DOUBTED = `Right sentences in a person's words that were not shown clean, read one by one: \`vg-rag\` 7 of 57, of which five hold a value that no cited quote has (80 and 6.1 are the question's own, $3,000 stands in a source that is not cited, 64 and 71 in a table's head and row, "4" of "4 but less than 6 weeks" has its unit behind it) and two a word that none has ("adds", "active"); \`book\` 3 of 19: two words exchanged ("embalmed" for "balmed", "ripped" for "towing"), and "all but pierced" taken for "all". So five of the ten are the writer's (a word or value that its sources do not hold), three carry over a value of the question or a unit, and two are faults of the checks: a table's head, and "all but".

\`vg-rag\`, agreement: of 80 questions that the documents answer, 52 have one passage among the eight that holds a marked quote and 27 more than one; 64 passages have another such beside them, and agreement speaks of 17 of those and of 45 others. Where it speaks, 12 of 20 passages of relevance .6 and more hold a marked quote, where it is silent 49 of 70; between .3 and .6 it is 7 of 14 and 36 of 109 (items of the run above). Most passages say different things of a question: that is what it has to say. Two further ways say no more: the learned score of claims, where rules are silent, is among those 62; and by the reader's vectors, over 548 pairs of passages of 20 questions of \`tau-policies-kb\` (in different documents; the sentence of one that is nearest the question, beside the sentence of the other that is nearest to it), pairs of which both hold a marked quote (18) are told from those of which one does (212) with an AUROC of .74 (.66 by the sentences nearest the question): of 27 pairs from a cosine of .9 on both hold one in 7 and one alone in 9, for pages of one kind say alike sentences of different things.`;

/** Counts that explain a rule of a profile; `rule-tests.test.ts` compares those of `eval profiles` with its report. */
export const RULE_COUNTS: readonly string[] = [
  "`seven-layer`, tables 10 and 11: 1,052 sentences of the packs' documents, embedded and projected to 1,536 dimensions, on a busy machine (`./run bench pgvector --database URL --sizes 1052 --dimensions 1536 --texts domains`, 2026-11-30). Medians of 100 single queries: in the process 0.37 ms, without index 117 ms, m = 16 84 ms, m = 24 55 ms. With four at once: 1.2, 97, 108 and 361 ms. The indexes were built in 3.6 and 8.5 s; recall@10 is 1 for all. So m = 16 is no faster here than a scan of 1,052 vectors, against the source.",
  "`spark` and `validator`, optional runtime: heads of our cross-encoder, exported as classifiers (`lab/train/reader/export-hub.ts`), ran with @huggingface/transformers 4.3.1 in the place of ms-marco-MiniLM-L-6-v2 and HHEM (2026-11-30). For three pairs each the scores equal those of the kernel within .0001. `ask --profile spark` then judges by the source's own .28 and .35, `ask --profile validator` by its .35. The weights of the source were not at hand.",
  "`seven-layer`, routing: the source sends 70 % to the small model, we send 10 % (7 of 72, `./run eval profiles`). Its own rule of more than 5 passages decides, because 7 mostly pass .45.",
  "`seven-layer`, graph: on a day of 1,000 of the domain's own questions with half of the stored answers approved 346 were served, 15 of them by the graph, none wrong or stale; few questions name an entity of its three kinds (`./run eval cache --day 1000 --approved 0.5`).",
  "`sourcebound`, confidence: 11 of 107 answers are wrong on seven validation collections, 17 of 125 on seven test collections ([accuracy](../../docs/accuracy.md)). A passage is verified from .27, where three of four verified passages answer, and rejected below .07, where one of twenty that answer is lost, both on the validation collections.",
  "`sourcebound`, relevancy: of right answers in a person's words, 56 of 95 reach the line of `validator` (`./run eval profiles`); a price alone is a quote by then.",
  "`spark`, guard: the scores of every second question of the seven validation collections were recorded and weighed in several ways (2026-11-30, 174 questions, 115 of them answerable). Before: .7 of the carried cosine and .3 of the confidence of the passage's best candidate, from .61. P(relevant) was 49 of 55 (.89), P(answerable) 44 of 46 (.96), and 71 of 115 answerable questions were refused (.62). Now, from .64: 90 of 107 (.84), 81 of 89 (.91) and 34 of 115 (.30). All 348 questions of the validation collections (`./run eval guard --data VALIDATION`, 2026-11-30): 198 of 234 (.85), 159 of 175 (.91), and 69 of 228 answerable questions refused (.30). Chosen on every other collection and tried on the rest, at P(relevant) .80 and P(answerable) .88: .84, .90 and .30 refused at .62; the other way round .76, .85 and .18 at .57. On the first 54 answerable questions, at the best thresholds for these marks, the best candidate alone refused .43, a logistic regression of six features .26, the shared confidence .23. The cross-encoder takes some .3 s of a core for sixteen candidates the first time.",
  "`vg-rag`, agreement: it spoke of 66 of 960 passages (`./run eval profiles`). In 52 of 80 questions that the documents answer a single passage holds a marked quote. In the other 27 with any, 64 passages have another such beside them, and agreement spoke of 17 of those (an earlier run). Tried on 2026-11-30 and not built: the entailment head over the best candidates of the four best passages of 39 answerable validation questions, each with each. From its calibrated .68 it would speak of 52 of 156 passages, but both passages hold a marked quote in 3 of 81 supported pairs, as in 24 of all 464.",
  "`vg-rag`, score: 75 verified, 173 uncertain and 712 rejected of 960 (`./run eval profiles`); .67, .31 and .02 of them hold a marked quote.",
  "`vg-rag`, web: pages in other words confirmed 7 of 120 passages (4 before), and none of 120 with changed numbers (`./run bench web`).",
  "`vg-rag`, threshold: of 12 answerable demo questions 4 are answered, 1 with the former scale of relevance; `book` answers 11, `spark` none (2026-11-30).",
  "`book`, threshold: .05, the confidence with the best balanced accuracy between answerable questions and questions of other domains. It is .04 and .05 on the two halves of the validation collections, with .98 on the other half (`./run eval topics`, 2026-11-30).",
  "`book`, refusal: with .7 carried over by quantile 45 of 60 questions that the book answers were refused (`./run eval topics`, before the ranking of 2026-11-29).",
];

/** Measurements of the profiles, and the test that shows each rule of a source. */
export function profileLog(made: string): string {
  const report = measured("profiles");
  const names = profiles.map(({ name }) => name).filter((name) => report.n[name] !== undefined);
  const outcomes = OUTCOMES.map(([title, key]) => `| ${title} | ${names.map((name) => shareOf(report, `${name}.${key}`)).join(" | ")} |`);
  const tokens = (which: string) => names.map((name) => figure(report.metrics[`${name}.prompt_tokens.${which}`], 0)).join(" | ");
  const claims = names.flatMap((profile) =>
    (CLAIMS[profile] ?? []).map(([title, key, claim]) => {
      const name = `${profile}.${key}`;
      const ours = report.n[name] === undefined ? figure(report.metrics[name]) : shareOf(report, name);
      return `| ${profile} | ${title} | ${claim} | ${ours} |`;
    }),
  );
  const versions = Object.entries(report.versions).map(([name, version]) => `${name} ${version}`);
  return [
    `${made}# Log: profiles`,
    "Settings and rules: [`docs/profiles.md`](../../docs/profiles.md).",
    "## Measured",
    `\`./run ${report.command}\`, ${report.date.slice(0, 10)}, ${versions.join(", ")}; each profile on its kind of documents. *quotes*: without a model; *writer*: with a scripted model that writes the right answer in a person's words, where a marked quote stands in its prompt, and else that the sources are not enough. Times are of a machine that others used too: a load of 15 to 30 on two cores.`,
    [
      `| | ${names.join(" | ")} |`,
      `| --- |${" --- |".repeat(names.length)}`,
      `| questions | ${names.map((name) => report.n[name]).join(" | ")} |`,
      ...outcomes,
      `| prompt, tokens, median | ${tokens("median")} |`,
      `| prompt, tokens, 90 % | ${tokens("p90")} |`,
    ].join("\n"),
    ["| profile | | its source says | ours |", "| --- | --- | --- | --- |", ...claims].join("\n"),
    SINCE_BASE,
    layersMeasured(),
    RIGHT_BUT_DOUBTED,
    SMALL_MODEL,
    "## Counts behind the rules",
    RULE_COUNTS.map((one) => `- ${one}`).join("\n"),
    "## The test that shows each rule",
    shownBy(),
    "## Rows of the sources",
    sourceRows(),
    "",
  ].join("\n\n");
}

function shownBy(): string {
  const rows = profiles.flatMap((profile) =>
    profile.rules.flatMap(({ rule }) => {
      const shown = rule === FOREIGN_LANGUAGE.rule ? FOREIGN_TEST : RULE_TESTS[profile.name]?.[rule];
      return shown === undefined ? [] : [[profile.name, cell(rule), `\`${shown.file}\`: ${cell(shown.title)}`]];
    }),
  );
  return markdownTable(["profile", "rule of the design", "test"], rows);
}

/** Twelve rows of each source, with what shows them. */
function sourceRows(): string {
  const all = Object.values(SOURCE_ROWS).flat();
  const rows = Object.entries(SOURCE_ROWS).flatMap(([source, of]) =>
    of.map(({ row, shownBy: by, lacks }) => {
      const how = typeof by === "string" ? `\`./run ${by}\`` : `\`${by.file}\`: ${cell(by.title)}`;
      return [source, cell(row), how, lacks === undefined ? "✓" : `partly: ${lacks}`];
    }),
  );
  const shown = all.filter(({ lacks }) => lacks === undefined).length;
  return `${shown} of ${all.length} are shown in full.\n\n${markdownTable(["source", "row", "shown by", ""], rows)}`;
}

/** "13 of 60 (.22)". */
function shareOf({ metrics, n }: Measured, name: string): string {
  const [value, of] = [metrics[name], n[name]];
  return value === null || value === undefined || of === undefined ? "–" : `${Math.round(value * of)} of ${of} (${decimal(value)})`;
}

function figure(value: number | null | undefined, digits?: number): string {
  if (value === null || value === undefined) return "–";
  return digits === undefined ? String(Number(value.toPrecision(3))) : value.toFixed(digits);
}
