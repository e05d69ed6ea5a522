import { createRandom } from "../../src/grading/metrics.ts";

const SUBJECTS = ["harbour", "orchard", "lantern", "quarry", "weaver", "falcon", "meadow", "compass", "granite", "saddle"];
const VERBS = ["costs", "holds", "measures", "opens after", "closes before", "carries", "weighs", "needs"];

/** Generates small documents in several formats and folders. Each contains one fact of its own: `registry number N` in file N. */
export function generateCorpus(files: number, seed: number): Record<string, string> {
  const random = createRandom(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const sentence = () => `The ${pick(SUBJECTS)} ${pick(VERBS)} ${Math.floor(random() * 900) + 100} ${pick(SUBJECTS)}s.`;
  const paragraph = () => Array.from({ length: 2 + Math.floor(random() * 6) }, sentence).join(" ");
  const corpus: Record<string, string> = {};
  for (let n = 0; n < files; n++) {
    const fact = `The registry number of this page is ${10_000 + n}.`;
    const body = Array.from({ length: 1 + Math.floor(random() * 5) }, paragraph);
    const folder = `part-${n % 7}`;
    if (n % 10 === 7) corpus[`${folder}/${n}.txt`] = [fact, ...body].join("\n\n");
    else if (n % 10 === 8) corpus[`${folder}/${n}.html`] = `<h1>Page ${n}</h1>${[fact, ...body].map((text) => `<p>${text}</p>`).join("")}`;
    else if (n % 10 === 9)
      corpus[`${folder}/${n}.json`] = JSON.stringify([
        { entry_id: `e${n}`, topic: `Page ${n}`, type: "policy", content: [fact, ...body].join(" ") },
      ]);
    else corpus[`${folder}/${n}.md`] = `# Page ${n}\n\n${fact}\n\n## More\n\n${body.join("\n\n")}\n`;
  }
  return corpus;
}

/** Changes a fifth of the files and renames a fifth, for tests of a repeated ingest. */
export function changeCorpus(corpus: Readonly<Record<string, string>>, seed: number): Record<string, string> {
  const random = createRandom(seed);
  const changed: Record<string, string> = {};
  for (const [path, text] of Object.entries(corpus)) {
    const chance = random();
    if (chance < 0.2) {
      changed[path.replace(/\/\d+\./, `/new-${Math.floor(random() * 1e9)}.`)] = text;
    } else changed[path] = chance < 0.4 ? text.replaceAll("registry number", "register number") : text;
  }
  return changed;
}
