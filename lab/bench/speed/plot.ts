/** A line of a plot: points in rising x. */
export interface Line {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
  readonly dashed?: boolean;
}

const WIDTH = 760;
const HEIGHT = 460;
const LEFT = 70;
const RIGHT = 190;
const TOP = 40;
const BOTTOM = 50;
/** Told apart with any colour vision (Okabe & Ito 2008). */
const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#555555"];

/** An SVG with logarithmic axes. */
export function plotLogLog(title: string, xName: string, yName: string, lines: readonly Line[]): string {
  const points = lines.flatMap((line) => line.points);
  const x = scale(
    points.map(([value]) => value),
    LEFT,
    WIDTH - RIGHT,
  );
  const y = scale(
    points.map(([, value]) => value),
    HEIGHT - BOTTOM,
    TOP,
  );
  const grid = [
    ...x.powers.map((power) => tick(x.at(power), HEIGHT - BOTTOM, x.at(power), TOP, power.toLocaleString("en"), "middle", 0, 18)),
    ...y.powers.map((power) => tick(LEFT, y.at(power), WIDTH - RIGHT, y.at(power), String(power), "end", -8, 4)),
  ];
  const drawn = lines.map(({ name, points, dashed }, i) => {
    const colour = COLOURS[i % COLOURS.length];
    const path = points.map(([px, py]) => `${x.at(px).toFixed(1)},${y.at(py).toFixed(1)}`).join(" ");
    const dots = points
      .map(([px, py]) => `<circle cx="${x.at(px).toFixed(1)}" cy="${y.at(py).toFixed(1)}" r="3" fill="${colour}"/>`)
      .join("");
    const row = TOP + 16 + i * 20;
    return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"${dashed === true ? ' stroke-dasharray="6 4"' : ""}/>${dots}
<text x="${WIDTH - RIGHT + 14}" y="${row}" fill="${colour}">${name}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">
<title>${title}</title>
<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>
<text x="${LEFT}" y="22" font-size="15" fill="#222222">${title}</text>
${grid.join("\n")}
<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 12}" text-anchor="middle" fill="#222222">${xName}</text>
<text transform="translate(16 ${(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)" text-anchor="middle" fill="#222222">${yName}</text>
${drawn.join("\n")}
</svg>
`;
}

function scale(values: readonly number[], from: number, to: number): { at: (value: number) => number; powers: number[] } {
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))));
  return {
    at: (value) => from + ((Math.log10(value) - low) / (high - low)) * (to - from),
    powers: Array.from({ length: high - low + 1 }, (_, i) => Number(`1e${low + i}`)),
  };
}

function tick(x1: number, y1: number, x2: number, y2: number, label: string, anchor: string, dx: number, dy: number): string {
  return `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="#dddddd"/><text x="${x1 + dx}" y="${y1 + dy}" text-anchor="${anchor}" fill="#555555">${label}</text>`;
}
