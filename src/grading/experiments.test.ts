import { describe, expect, it } from "vitest";
import type { ExperimentSettings } from "../shared/config/experiments.ts";
import { configSchema } from "../shared/config.ts";
import type { ExposedSession } from "../store/statistics.ts";
import { anytimeDifference, estimateRatio, fixedDifference, isMismatched, normalQuantile, reportExperiment } from "./experiment-report.ts";
import { assignVariant, experimentsByDomain, overlayConfig } from "./experiments.ts";
import { createRandom } from "./metrics.ts";

const random = createRandom(16);
const session = (variant: string, over: Partial<ExposedSession> = {}): ExposedSession => ({
  ...{ variant, begun: "", questions: 1, answered: 1, warned: 0, cached: 0, latencyMs: 10, tokens: 0, costUsd: 0 },
  ...{ thumbsUp: 0, thumbsDown: 0, flagged: 0, ...over },
});
const settings = (over: Partial<ExperimentSettings> = {}): ExperimentSettings => ({
  variants: { a: { share: 0.5, config: {} }, b: { share: 0.5, config: { answer_from: 0.3 } } },
  ...{ metric: "answered", better: "higher", sessions: 200, alpha: 0.05, guardrails: {} },
  ...over,
});
/** Draws sessions of one to three questions. The probability that a question is answered differs between sessions. */
function drawn(variant: string, n: number, chance: number, more: Partial<ExposedSession> = {}): ExposedSession[] {
  return Array.from({ length: n }, () => {
    const own = chance + (random() - 0.5) * 0.4;
    const questions = 1 + Math.floor(random() * 3);
    return session(variant, { questions, answered: Array.from({ length: questions }).filter(() => random() < own).length, ...more });
  });
}
const mixed = (...groups: readonly ExposedSession[][]) =>
  groups
    .flat()
    .map((one) => ({ one, at: random() }))
    .sort((x, y) => x.at - y.at)
    .map(({ one }) => one);

describe("the statistics", () => {
  it.each([
    [0.5, 0],
    [0.975, 1.959964],
    [0.995, 2.575829],
    [0.0001, -3.719016],
    [1e-13, -7.348796],
  ])("compute the quantile of the normal distribution at %f", (p, expected) => expect(normalQuantile(p)).toBeCloseTo(expected, 5));

  it("estimate a ratio equal to a hand-worked one", () => {
    // Sums 1, 2, 3 of 2, 2, 2 questions: mean 1/2, per session 2; deviations −1, 0, 1, variance 1; 1 / (3 · 4).
    const estimate = estimateRatio([1, 2, 3].map((sum) => ({ sum: sum / 2, questions: 2 })));
    expect(estimate?.mean).toBeCloseTo(0.5);
    expect(estimate?.variance).toBeCloseTo(0.25 / 12);
    expect(estimateRatio([{ sum: 1, questions: 1 }])).toBeNull();
  });

  it("count sessions, not questions: five equal questions in each session add no certainty", () => {
    const one = Array.from({ length: 300 }, (_, i) => ({ sum: i % 2, questions: 1 }));
    const five = one.map(({ sum }) => ({ sum: 5 * sum, questions: 5 }));
    expect(estimateRatio(five)?.variance).toBeCloseTo(estimateRatio(one)?.variance ?? 0, 12);
  });

  const none = (n: number, questions = 1) => Array.from({ length: n }, () => ({ sum: 0, questions }));
  const share = (sessions: readonly { sum: number; questions: number }[]) => {
    const estimate = estimateRatio(sessions, true);
    if (estimate === null) throw new Error("too few");
    return estimate;
  };

  it("give a share that never occurred an interval as wide as Newcombe's", () => {
    // Wilson's upper limit of 0 in 30: z² / (n + z²) = 3.8415 / 33.8415.
    const { difference, low, high } = fixedDifference(share(none(30)), share(none(30)), 0.05);
    expect(difference).toBe(0);
    expect(high).toBeCloseTo(0.11351, 4);
    expect(low).toBeCloseTo(-0.11351, 4);
    const early = anytimeDifference(share(none(30)), share(none(30)), 0.05, 30);
    expect(early.high).toBeGreaterThan(high);
    expect(early.high).toBeLessThan(0.5);
  });

  it("equal the intervals of Newcombe's table if every session has one question", () => {
    const of = (events: number, n: number) => share(none(n).map((one, i) => (i < events ? { ...one, sum: 1 } : one)));
    // Examples of method 10 in Newcombe's table II: 56/70 − 48/80, 9/10 − 3/10, 10/10 − 0/20.
    for (const [a, b, low, high] of [
      [of(48, 80), of(56, 70), 0.0524, 0.3339],
      [of(3, 10), of(9, 10), 0.1705, 0.809],
      [of(0, 20), of(10, 10), 0.6791, 1],
    ] as const) {
      const made = fixedDifference(a, b, 0.05);
      expect(made.low).toBeCloseTo(low, 4);
      expect(made.high).toBeCloseTo(high, 4);
    }
  });

  it("count sessions whose questions do not vary, and one more event never narrows the interval", () => {
    const upper = (sessions: readonly { sum: number; questions: number }[]) =>
      fixedDifference(share(none(1_000)), share(sessions), 0.05).high;
    expect(upper(none(100, 10))).toBeCloseTo(upper(none(100)), 12);
    const some = (events: number) => upper(none(100, 10).map((one, i) => (i < events ? { ...one, sum: 1 } : one)));
    for (let events = 0; events < 40; events++) expect(some(events + 1)).toBeGreaterThan(some(events));
    const halves = share(Array.from({ length: 30 }, () => ({ sum: 1, questions: 2 })));
    expect(fixedDifference(halves, halves, 0.05).high).toBeGreaterThan(0.05);
  });

  it.each([
    ["a share", true],
    ["any figure", false],
  ])(
    "keep the error rate for %s: in 2,000 trials without a difference about 5 % are wrong at the planned size, and fewer with 20 looks",
    (_what, isShare) => {
      let fixed = 0;
      let peeked = 0;
      let peekedFixed = 0;
      const trials = 2_000;
      for (let trial = 0; trial < trials; trial++) {
        const [a, b] = [drawn("a", 200, 0.5), drawn("b", 200, 0.5)].map((group) =>
          group.map(({ answered, questions }) => ({ sum: answered, questions })),
        );
        const at = (n: number) => {
          const [x, y] = [a, b].map((group) => estimateRatio((group ?? []).slice(0, n), isShare));
          if (x == null || y == null) throw new Error("too few");
          return { any: anytimeDifference(x, y, 0.05, 200), fixed: fixedDifference(x, y, 0.05) };
        };
        const misses = ({ low, high }: { low: number; high: number }) => low > 0 || high < 0;
        const looks = Array.from({ length: 20 }, (_, i) => at(10 * (i + 1)));
        if (misses(looks[19]?.fixed ?? { low: 0, high: 0 })) fixed++;
        if (looks.some(({ any }) => misses(any))) peeked++;
        if (looks.some((look) => misses(look.fixed))) peekedFixed++;
      }
      expect(fixed / trials).toBeGreaterThan(0.035);
      expect(fixed / trials).toBeLessThan(0.065);
      expect(peeked / trials).toBeLessThan(0.05);
      // With repeated looks, intervals for a single look are wrong too often, so they must not be shown early.
      expect(peekedFixed / trials).toBeGreaterThan(0.15);
    },
  );

  it.each([
    [[5_000, 4_500], [0.5, 0.5], true],
    [[5_000, 4_900], [0.5, 0.5], false],
    [[10, 100], [0, 1], true],
  ])("detect an assignment that loses sessions, but not random variation: %j of shares %j", (counts, shares, isLost) => {
    expect(isMismatched(counts.map((count, i) => ({ count, share: shares[i] as number })))).toBe(isLost);
  });
});

describe("assignment", () => {
  it("gives a session the same variant every time, by the shares, and independently of other experiments", () => {
    const shares = { variants: { a: { share: 0.2, config: {} }, b: { share: 0.8, config: {} }, off: { share: 0, config: {} } } };
    const ids = Array.from({ length: 20_000 }, (_, i) => `session ${i}`);
    const of = (name: string) => ids.map((id) => assignVariant("s", name, shares, id));
    const first = of("x");
    expect(of("x")).toEqual(first);
    const share = (names: readonly string[]) => names.filter((name) => name === "a").length / names.length;
    expect(share(first)).toBeCloseTo(0.2, 2);
    expect(first).not.toContain("off");
    const other = of("y").filter((_, i) => first[i] === "a");
    expect(Math.abs(share(other) - 0.2)).toBeLessThan(0.03);
  });
});

describe("a report", () => {
  const codeOf = (sessions: readonly ExposedSession[], over: Partial<ExperimentSettings> = {}) =>
    reportExperiment("x", settings(over), sessions).verdict.code;

  it("starts as too early", () => expect(codeOf([])).toBe("too_early"));

  it("names no winner before the planned sessions, however large the difference", () => {
    const sessions = mixed(drawn("a", 199, 0.2), drawn("b", 199, 0.9));
    expect(reportExperiment("x", settings(), sessions)).toMatchObject({
      intervals: "anytime",
      verdict: { code: "too_early", variant: null },
    });
    expect(codeOf([...sessions, ...drawn("a", 1, 0.2), ...drawn("b", 1, 0.9)])).toBe("better");
  });

  it("uses the first planned sessions of each variant, and ignores later ones", () => {
    const planned = mixed(drawn("a", 200, 0.5), drawn("b", 200, 0.5));
    const before = reportExperiment("x", settings(), planned);
    const after = reportExperiment("x", settings(), [...planned, ...mixed(drawn("a", 300, 0.1), drawn("b", 300, 0.9))]);
    expect(after.variants[1]?.compared).toEqual(before.variants[1]?.compared);
    expect(after.verdict).toEqual(before.verdict);
  });

  it("names the better variant, keeps the control otherwise, and respects the direction of the metric", () => {
    expect(codeOf(mixed(drawn("a", 200, 0.4), drawn("b", 200, 0.7)))).toBe("better");
    expect(codeOf(mixed(drawn("a", 200, 0.7), drawn("b", 200, 0.4)))).toBe("no_winner");
    expect(codeOf(mixed(drawn("a", 200, 0.5), drawn("b", 200, 0.5)))).toBe("no_winner");
    expect(codeOf(mixed(drawn("a", 200, 0.7), drawn("b", 200, 0.4)), { better: "lower" })).toBe("better");
  });

  it("stops a variant that violates a guardrail, also early, and names no winner while a guardrail is open", () => {
    const slow = (n: number) => drawn("b", n, 0.9).map((one) => ({ ...one, latencyMs: one.questions * (400 + 100 * random()) }));
    const quick = (n: number) => drawn("a", n, 0.3).map((one) => ({ ...one, latencyMs: one.questions * (100 + 100 * random()) }));
    expect(codeOf(mixed(quick(80), slow(80)), { guardrails: { latency_ms: 50 } })).toBe("guardrail_breached");
    expect(codeOf(mixed(quick(200), slow(200)), { guardrails: { latency_ms: 300 } })).toBe("no_winner");
    expect(codeOf(mixed(quick(200), slow(200)), { guardrails: { latency_ms: 2_000 } })).toBe("better");
    const fewer = mixed(drawn("a", 200, 0.9), drawn("b", 200, 0.3));
    expect(codeOf(fewer, { metric: "cached", guardrails: { answered: -0.02 } })).toBe("guardrail_breached");
  });

  it("does not assume that a guardrail holds without ratings", () => {
    const unrated = mixed(drawn("a", 40, 0.5), drawn("b", 40, 0.5));
    const at = (sessions: readonly ExposedSession[], planned: number) =>
      reportExperiment("x", settings({ sessions: planned, guardrails: { thumbs_down: 0.01 } }), sessions).variants[1]?.guardrails[0]?.state;
    expect(at(unrated, 30)).toBe("open");
    expect(at(unrated, 200)).toBe("open");
    expect(at(mixed(drawn("a", 1_000, 0.5), drawn("b", 1_000, 0.5)), 1_000)).toBe("holds");
  });

  it("names no winner if sessions of a variant are missing", () => {
    expect(codeOf(mixed(drawn("a", 400, 0.2), drawn("b", 200, 0.9)))).toBe("assignment_broken");
  });
});

describe("settings", () => {
  const parse = (experiments: unknown) => configSchema.safeParse({ experiments });
  const variants = { a: { share: 0.5 }, b: { share: 0.5, config: { answer_from: 0.3 } } };

  it.each([
    ["shares that do not add up to 1", { x: { variants: { a: { share: 0.5 }, b: { share: 0.4 } } } }],
    ["one variant", { x: { variants: { a: { share: 1 } } } }],
    [
      "a setting for where data are stored",
      { x: { variants: { a: { share: 0.5 }, b: { share: 0.5, config: { data_dir: "/elsewhere" } } } } },
    ],
    ["a setting for who may ask", { x: { variants: { a: { share: 0.5 }, b: { share: 0.5, config: { server: {} } } } } }],
    ["labels", { x: { variants: { a: { share: 0.5 }, b: { share: 0.5, config: { access: ["staff"] } } } } }],
    ["a metric that does not exist", { x: { variants, metric: "happiness" } }],
    ["a name with slashes", { "../x": { variants } }],
    ["ten sessions", { x: { variants, sessions: 10 } }],
  ])("are rejected with %s", (_what, experiments) => expect(parse(experiments).success).toBe(false));

  it("of a variant override the general ones, and are validated", () => {
    const config = configSchema.parse({ cache: { hours: 5 } });
    expect(overlayConfig(config, { cache: { enabled: false } }, "x")).toMatchObject({ cache: { enabled: false, hours: 5 } });
    expect(() => overlayConfig(config, { answer_from: 7 }, "experiments.x.variants.b")).toThrow(/experiments\.x\.variants\.b/);
  });

  it("allow one experiment per domain at a time", () => {
    const config = configSchema.parse({ experiments: { x: { variants }, y: { variants } } });
    expect(() => experimentsByDomain(config)).toThrow(/only one experiment at a time/);
  });
});
