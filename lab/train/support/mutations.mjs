// Makes claims from real sentences: gently reworded ones that stay true, and ones with a single fault. node mutations.mjs --data DATA --out FILE
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { linesIn } from "../sampling.mjs";

const { values: flags } = parseArgs({
  options: {
    data: { type: "string" },
    out: { type: "string" },
    dist: { type: "string", default: join(import.meta.dirname, "../../../dist") },
    limit: { type: "string", default: "600" },
    seed: { type: "string", default: "20261121" },
  },
});
const load = (path) => import(join(flags.dist, path));
const { splitSentences } = await load("src/text/sentences.js");
const { createRandom } = await load("src/grade/metrics.js");
const { OPPOSITE_SIDES } = await load("src/models/support/lexicon.js");
const { parseFile } = await load("src/ingest/parse.js");

const random = createRandom(Number(flags.seed));
const pick = (list) => list[Math.floor(random() * list.length)];
const chance = (p) => random() < p;
const lines = linesIn(flags.data);
const filesOf = (folder, prefix) =>
  readdirSync(join(flags.data, folder))
    .filter((name) => name.startsWith(prefix) && name.endsWith(".jsonl"))
    .map((name) => `${folder}/${name}`);

/** Documents as { set, group, paragraphs: sentences[] }. */
function documents() {
  const out = [];
  const add = (set, group, text) => {
    const sentences = splitSentences(text.replaceAll(/[ \t]+/g, " ")).map(({ start, end }) =>
      text.replaceAll(/[ \t]+/g, " ").slice(start, end),
    );
    out.push({ set, group, sentences });
  };
  const root = join(flags.data, "va-pages/pages");
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(md|html)$/.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name).slice(root.length + 1);
    for (const { text } of parseFile({ path, bytes: readFileSync(join(root, path)) })) add("va-pages", path, text);
  }
  for (const file of filesOf("policyqa", "passages"))
    for (const { passage_id, site, text } of lines(file)) add("policyqa", `${site}/${passage_id}`, text);
  for (const file of filesOf("medquad", "medquad"))
    for (const { id, collection, answer } of lines(file)) add("medquad", `${collection}/${id}`, answer);
  return out;
}

const SWAPS = [
  [/\byou need to\b/i, "you must"],
  [/\byou must\b/i, "you have to"],
  [/\byou can\b/i, "you're able to"],
  [/\bget\b/, "receive"],
  [/\breceive\b/, "get"],
  [/\bhelp\b/, "assist"],
  [/\bfill out\b/i, "complete"],
  [/\bsend\b/, "submit"],
  [/\bfind out\b/, "learn"],
  [/\bgive\b/, "provide"],
  [/\bfor example,? /i, ""],
  [/\bcannot\b/, "can't"],
  [/\bcan't\b/, "cannot"],
  [/\bdo not\b/, "don't"],
  [/\bdon't\b/, "do not"],
  [/\bis not\b/, "isn't"],
  [/\bpeople\b/, "individuals"],
  [/\balso /i, ""],
  [/\bwe'll\b/, "we will"],
  [/\byou'll\b/, "you will"],
  [/\busually\b/, "typically"],
  [/\bsymptoms\b/, "signs"],
  [/\bbegin\b/, "start"],
  [/\bstart\b/, "begin"],
  [/\bcauses\b/, "leads to"],
  [/\bchildren\b/, "kids"],
  [/\bpersonal information\b/, "personal data"],
  [/\bshow\b/, "demonstrate"],
  [/\blarge\b/, "big"],
  [/\bin order to\b/, "to"],
  [/\bmay be\b/, "could be"],
  [/\bphysician\b/, "doctor"],
  [/\bdoctor\b/, "physician"],
  [/\bwithin\b/, "inside of"],
  [/\bmany\b/, "lots of"],
];
const upper = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const lower = (text) => (/^[A-Z][a-z]/.test(text) && !/^(I|VA|The [A-Z])/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text);

/** The same statement in slightly other words. */
function reword(sentence, shorten) {
  let text = sentence.replace(/^\s*(?:[-*•]|\d+\.)\s+/, "");
  if (shorten) {
    if (chance(0.5))
      text = upper(
        text.replace(
          /^(?:However|Also|In addition|Additionally|For example|Please note that|Note that|Generally|Usually|In general|Typically),?\s+/i,
          "",
        ),
      );
    if (chance(0.5)) text = text.replace(/\s*\([^)]{3,80}\)/, "");
    if (chance(0.3) && !/\b(?:if|unless|except|only|until|when|without|not)\b[^,]*$/i.test(text))
      text = text.replace(/,[^,]{8,60}([.])$/, "$1");
  }
  for (const [from, to] of SWAPS) if (chance(0.5)) text = text.replace(from, to);
  if (chance(0.1)) text = `According to the source, ${lower(text)}`;
  if (chance(0.08)) text = `Yes. ${text}`.slice(5);
  return text;
}

const MONTHS = "January February March April May June July August September October November December".split(" ");
const UNITS = "days weeks months years hours minutes".split(" ");
const NUMBER = /(?<![\w-])\d{1,3}(?:,\d{3})*(?:\.\d+)?(?![\w-]*[-/]\d)/g;
const NAME = /(?<=[a-z,] )(?:[A-Z][\w&'-]+)(?: [A-Z][\w&'-]+)*/g;

function replaceOne(text, pattern, make) {
  const matches = [...text.matchAll(pattern)];
  if (matches.length === 0) return null;
  const match = pick(matches);
  const to = make(match[0]);
  return to === null || to === match[0] ? null : text.slice(0, match.index) + to + text.slice(match.index + match[0].length);
}

/** Faults by kind; `null` where a sentence does not allow it. */
const FAULTS = {
  number: (text, { evidence }) =>
    replaceOne(text, NUMBER, (old) => {
      const others = [...evidence.matchAll(NUMBER)].map(([one]) => one).filter((one) => one !== old);
      if (others.length > 0 && chance(0.5)) return pick(others);
      const value = Number(old.replaceAll(",", ""));
      return String(pick([value * 2, value + 1, value + 10, Math.max(1, Math.round(value / 2)), value * 10, value + 5, value * 3]));
    }),
  unit: (text) =>
    replaceOne(text, /(?<=\d[ -])(?:days?|weeks?|months?|years?|hours?|minutes?)\b/g, (old) => {
      const plural = old.endsWith("s");
      const unit = pick(UNITS.filter((one) => one !== old && one !== `${old}s`));
      return plural ? unit : unit.slice(0, -1);
    }),
  date: (text) =>
    replaceOne(text, new RegExp(`\\b(?:${MONTHS.join("|")})\\b|\\b(?:19|20)\\d\\d\\b`, "g"), (old) =>
      /\d/.test(old) ? String(Number(old) + pick([-20, -10, -3, -2, -1, 1, 2, 3, 10])) : pick(MONTHS.filter((one) => one !== old)),
    ),
  entity: (text, { evidence, others }) =>
    replaceOne(text, NAME, (old) => {
      const pool = [...(chance(0.5) ? evidence : others).matchAll(NAME)]
        .map(([one]) => one)
        .filter((one) => !text.includes(one) && !old.includes(one));
      return pool.length === 0 ? null : pick(pool);
    }),
  negation: (text) => {
    const undo = [
      [/\b(can|do|does|did|is|are|was|were|will|would|should|could)(?:n't| not)\b/g, (old) => old.replace(/n't| not/, "")],
      [/\bcannot\b/g, () => "can"],
      [/\bwithout\b/g, () => "with"],
      [/\bnever\b/g, () => "always"],
      [/\bno longer\b/g, () => "still"],
    ];
    for (const [pattern, make] of undo) {
      const undone = replaceOne(text, pattern, make);
      if (undone !== null) return undone;
    }
    return replaceOne(
      text,
      /\b(?:is|are|was|were|can|will|may|must|should|has|have|does|do)\b(?! not|n't)/g,
      (old) =>
        ({ can: "can't", will: "won't", must: "do not have to", has: "has not", have: "don't have", do: "don't", does: "doesn't" })[old] ??
        `${old} not`,
    );
  },
  opposite: (text) => {
    const words = [...text.matchAll(/\b[a-z]+\b/g)].filter(([word]) => OPPOSITE_SIDES.has(word) && word.length > 3);
    if (words.length === 0) return null;
    const match = pick(words);
    const side = pick(OPPOSITE_SIDES.get(match[0]));
    const ending = /(ing|ed|s|ly)$/.exec(match[0])?.[0] ?? "";
    const same = [...side.other].filter((word) => (ending === "" ? !/(ing|ed|s|ly)$/.test(word) : word.endsWith(ending)));
    const to = pick(same.length > 0 ? same : [...side.other]);
    return text.slice(0, match.index) + to + text.slice(match.index + match[0].length);
  },
  modality: (text) =>
    replaceOne(
      text,
      /\b(?:may|might|could|can|should|recommended|optional|some|often|usually|sometimes|most|many|up to|at least|only)\b/g,
      (old) =>
        ({
          may: "will",
          might: "will",
          could: "will",
          can: "must",
          should: "must",
          recommended: "required",
          optional: "mandatory",
          some: "all",
          often: "always",
          usually: "always",
          sometimes: "always",
          most: "all",
          many: "all",
          "up to": "at least",
          "at least": "up to",
          only: "not only",
        })[old],
    ),
  condition: (text) => {
    const cut = text.replace(/,?\s+\b(?:if|unless|except|only if|until|provided that|as long as)\b[^,.]{8,160}(?=[.,])/i, "");
    return cut === text || cut.length < 30 ? null : cut;
  },
  foreign: (_text, { outside }) => (outside.length === 0 ? null : pick(outside)),
  addition: (text, { outside }) => (outside.length === 0 ? null : `${text.replace(/[.]$/, "")}, and ${lower(pick(outside))}`),
  invention: (text) =>
    `${text.replace(/[.]$/, "")}${pick([", and this usually takes less than a week", ", free of charge", ", and no documents are needed", ", which has been shown to be safe", ", even after the deadline", ", and you will be paid extra for it", ", and a lawyer can do this for you", ", including on weekends", ", and the decision can't be appealed", ", mostly in older adults", ", and the information is deleted after 30 days", " in all 50 states", ", and a phone call is enough", ", and your family is covered as well"])}.`,
};
const WEIGHTED =
  "number number number unit date entity entity entity negation negation negation opposite modality modality condition foreign foreign foreign addition invention invention".split(
    " ",
  );

const fits = (sentence) => {
  const count = sentence.split(" ").length;
  return count >= 6 && count <= 45 && /[.]$/.test(sentence) && /^[A-Z]/.test(sentence) && !/[|{}<>\]]|https?:/.test(sentence);
};

const items = [];
function emit(set, group, text, evidence, supported, kind) {
  items.push({
    set: "synthetic",
    task: `${set}.${kind}`,
    group: `${set}/${group}`,
    id: `${set}-${items.length}`,
    text,
    evidence,
    supported,
    units: [{ start: 0, end: text.length, supported }],
  });
}

function faulty(text, context) {
  for (let tries = 0; tries < 12; tries++) {
    const kind = tries < 3 && chance(0.5) ? pick(["number", "number", "unit", "date", "condition"]) : pick(WEIGHTED);
    const mutated = FAULTS[kind](text, context);
    if (mutated !== null && mutated !== text) return { kind, mutated };
  }
  return null;
}

const bySet = new Map();
for (const document of documents()) bySet.set(document.set, [...(bySet.get(document.set) ?? []), document]);
for (const [set, list] of bySet) {
  let made = 0;
  const order = list
    .map((one) => ({ one, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ one }) => one);
  for (const { group, sentences } of order) {
    if (made >= Number(flags.limit)) break;
    const targets = sentences.map((text, i) => ({ text, i })).filter(({ text }) => fits(text));
    if (targets.length === 0) continue;
    const perDocument = set === "va-pages" ? 6 : 2;
    for (let n = 0; n < perDocument && targets.length > 0; n++) {
      const { text, i } = targets.splice(Math.floor(random() * targets.length), 1)[0];
      const from = Math.max(0, i - Math.floor(random() * 4));
      const to = Math.min(sentences.length, i + 1 + Math.floor(random() * 4));
      const quote = sentences.slice(from, to).join(" ");
      const distractors = sentences.filter((_, j) => (j < from || j >= to) && chance(0.08)).slice(0, 4);
      const evidence = chance(0.5) ? [quote, ...distractors] : [...distractors, quote];
      const whole = evidence.join(" ");
      const outside = sentences.filter((one, j) => (j < from || j >= to) && fits(one) && !whole.includes(one));
      const others = pick(order).sentences.join(" ");
      emit(set, group, reword(text, true), evidence, true, "none");
      const fault = faulty(reword(text, false), { evidence: whole, others, outside });
      if (fault !== null) emit(set, group, fault.mutated, evidence, false, fault.kind);
      made++;
    }
  }
}
// People's own answers to questions: paraphrase that no rule makes.
for (const file of filesOf("clapnq", "clapnq")) {
  for (const { title, passage, answers } of lines(file)) {
    for (const answer of answers ?? []) {
      const text = typeof answer === "string" ? answer : "";
      for (const { start, end } of splitSentences(text)) {
        const sentence = text.slice(start, end);
        if (sentence.split(" ").length < 6) continue;
        emit("clapnq", title, sentence, [`${title}. ${passage}`], true, "none");
        const fault = faulty(sentence, { evidence: passage, others: "", outside: [] });
        if (fault !== null) emit("clapnq", title, fault.mutated, [`${title}. ${passage}`], false, fault.kind);
      }
    }
  }
}
mkdirSync(dirname(flags.out), { recursive: true });
writeFileSync(flags.out, items.map((item) => `${JSON.stringify(item)}\n`).join(""));
process.stderr.write(`${items.length} claims, ${items.filter(({ supported }) => supported).length} of them true\n`);
