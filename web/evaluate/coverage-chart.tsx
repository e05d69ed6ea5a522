import { scaleLinear } from "d3-scale";
import { line } from "d3-shape";
import { useId, useMemo, useState } from "react";
import { formatChance, formatNumber } from "../format.ts";

const SIZE = { width: 520, height: 260, left: 44, bottom: 36, top: 10, right: 22 } as const;
const STEPS = 100;

/** Draws how many answers would be wrong if only the more confident ones were shown. */
export function CoverageChart({ items }: { readonly items: readonly Judged[] }) {
  const points = useMemo(() => riskCoverage(items), [items]);
  const [threshold, setThreshold] = useState(0);
  const id = useId();
  const at = pointAt(points, threshold);
  if (points.length === 0) return <p>No answer has a confidence, so there is nothing to plot.</p>;
  return (
    <section className="chart" aria-label="Risk and coverage">
      <h2>Share of wrong answers by confidence threshold</h2>
      <Curve points={points} at={at} />
      <div className="filters">
        <label htmlFor={id}>Confidence threshold</label>
        <input
          id={id}
          type="range"
          min={0}
          max={STEPS}
          value={Math.round(threshold * STEPS)}
          aria-valuetext={formatChance(threshold)}
          onChange={(event) => setThreshold(Number(event.target.value) / STEPS)}
        />
        <output htmlFor={id}>{threshold.toFixed(2)}</output>
      </div>
      <p role="status">
        {at === null
          ? "No answer would be shown."
          : `${formatNumber(at.shown)} answers would be shown (${percent(at.coverage)} of all answers), ${formatNumber(at.wrong)} of them wrong (${percent(at.risk)}).`}
      </p>
    </section>
  );
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function Curve({ points, at }: { readonly points: readonly CoveragePoint[]; readonly at: CoveragePoint | null }) {
  const { width, height, left, bottom, top, right } = SIZE;
  const x = scaleLinear([0, 1], [left, width - right]);
  const most = Math.max(0.1, ...points.map(({ risk }) => risk));
  const y = scaleLinear([0, most], [height - bottom, top]).nice();
  const path = line<CoveragePoint>(
    ({ coverage }) => x(coverage),
    ({ risk }) => y(risk),
  )(points);
  return (
    <svg
      className="curve"
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label="Share of wrong answers over the share of answers shown"
    >
      {y.ticks(4).map((tick) => (
        <g key={tick}>
          <line className="grid" x1={left} x2={width - right} y1={y(tick)} y2={y(tick)} />
          <text x={left - 6} y={y(tick) + 4} textAnchor="end">
            {percent(tick)}
          </text>
        </g>
      ))}
      {x.ticks(5).map((tick) => (
        <text key={tick} x={x(tick)} y={height - bottom + 16} textAnchor="middle">
          {percent(tick)}
        </text>
      ))}
      <text x={(left + width) / 2} y={height - 4} textAnchor="middle">
        answers shown
      </text>
      {path === null ? null : <path d={path} />}
      {at === null ? null : <circle cx={x(at.coverage)} cy={y(at.risk)} r="5" />}
    </svg>
  );
}

/** A judged question, as far as the curve needs it. */
interface Judged {
  readonly shown: boolean;
  readonly right: boolean;
  readonly confidence: number | null;
}

/** The result of showing only answers with at least the confidence `threshold`. */
interface CoveragePoint {
  readonly threshold: number;
  /** Number of shown answers. */
  readonly shown: number;
  /** Number of wrong answers among the shown. */
  readonly wrong: number;
  /** Shown answers as a share of all answers that the run gave. */
  readonly coverage: number;
  /** Wrong answers as a share of the shown. */
  readonly risk: number;
}

/** Returns the risk-coverage curve, highest confidence first, one point per value; answers without a confidence count as not shown. */
export function riskCoverage(items: readonly Judged[]): CoveragePoint[] {
  const answers = items.filter(({ shown }) => shown);
  const sure = answers
    .flatMap(({ confidence, right }) => (confidence === null ? [] : [{ confidence, right }]))
    .sort((a, b) => b.confidence - a.confidence);
  const points: CoveragePoint[] = [];
  let wrong = 0;
  for (const [i, { confidence, right }] of sure.entries()) {
    if (!right) wrong++;
    if (sure[i + 1]?.confidence === confidence) continue;
    points.push({ threshold: confidence, shown: i + 1, wrong, coverage: (i + 1) / answers.length, risk: wrong / (i + 1) });
  }
  return points;
}

/** Returns the last point at or above a threshold; `null` if no answer would be shown. */
export function pointAt(points: readonly CoveragePoint[], threshold: number): CoveragePoint | null {
  return points.findLast((point) => point.threshold >= threshold) ?? null;
}
