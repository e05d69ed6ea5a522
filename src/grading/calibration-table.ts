import type { CalibrationReport, Measured, OperatingPoint } from "./calibrate.ts";
import { countRow, decimal, type TableRow } from "./report.ts";

/** Answerable questions per page above which independence is doubtful. */
const CROWDED = 1.5;

/** Formats a calibration: curve, metrics, and the threshold with its guarantee. */
export function calibrationTable(report: CalibrationReport): TableRow[] {
  const { labels, curve, shipped, aurc, calibrationError, by, choice, risk, delta } = report;
  const kinds = Object.entries(labels.unanswerable).map(([kind, n]) => `${n} ${kind}`);
  const left = [
    ...(labels.repeated > 0 ? [`${labels.repeated} repeated`] : []),
    ...(labels.unjudgeable.length > 0 ? [`${labels.unjudgeable.length} without a key value or a gold quote in the documents`] : []),
  ];
  return [
    {
      name: "labelled questions",
      figure: String(labels.n),
      note: [`${labels.answerable} answerable (about ${labels.pages} ${labels.pages === 1 ? "page" : "pages"})`, ...kinds].join(", "),
    },
    ...(left.length === 0 ? [] : [{ name: "  left out", figure: "", note: left.join(", ") }]),
    ...(labels.answerable > CROWDED * labels.pages
      ? [
          {
            name: "  crowded",
            figure: "",
            note: `${decimal(labels.answerable / labels.pages)} questions per page: correlated errors weaken the promise (with three questions per page, 11 % of the promises of 10 % were broken instead of 5 %); label more pages`,
          },
        ]
      : []),
    { name: "judged by", figure: by.model, note: by.encoder ?? "no encoder" },
    { name: "risk: share of wrong answers, by threshold", figure: "" },
    ...curve.map((point) => pointRow(`  from ${point.threshold.toFixed(2)}`, point, report)),
    pointRow(`  default, ${shipped.threshold.toFixed(3)}`, shipped, report),
    measuredRow("AURC", aurc, "area under the risk–coverage curve; lower is better"),
    measuredRow("ECE", calibrationError, "expected calibration error, 10 bins; higher with few labels"),
    ...(choice.type === "chosen"
      ? [
          pointRow(
            "chosen",
            { ...choice, answeredAnswerable: report.calibration?.measured.answered_answerable ?? 0 },
            report,
            `from ${decimal(choice.threshold)}; `,
          ),
          {
            name: "",
            figure: "",
            note: `Promise: at most ${percent(risk)} of the answers to similar questions are wrong, with ${percent(1 - delta)} confidence, if the questions are independent (those about one page are not entirely) and more confident answers are wrong less often. The counted share refers to the labels that chose the threshold.`,
          },
        ]
      : [
          {
            name: `threshold for ${percent(risk)}`,
            figure: "none",
            note: `no threshold both answers at least ${choice.least} questions and leaves ${percent(1 - delta)} confidence (${choice.needed} answers without an error would suffice); at least ${choice.missing} more labelled questions answered without an error are needed`,
          },
        ]),
  ];
}

function pointRow(
  name: string,
  { answered, wrong, answeredAnswerable }: OperatingPoint,
  { labels }: CalibrationReport,
  before = "",
): TableRow {
  return countRow(
    name,
    wrong,
    answered,
    `${before}answers ${percent(answered / labels.n)} of all, ${answeredAnswerable} of ${labels.answerable} answerable`,
  );
}

function measuredRow(name: string, { value, low, high }: Measured, note: string): TableRow {
  return { name, figure: decimal(value), interval: `[${decimal(low)}, ${decimal(high)}]`, note };
}

function percent(share: number): string {
  return `${Number((share * 100).toFixed(1))} %`;
}
