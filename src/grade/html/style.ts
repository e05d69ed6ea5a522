/** The report's own style: no font, image or script is fetched or run. */
export const STYLE = `
:root{color-scheme:light dark;--ink:#1d2433;--soft:#5b6577;--line:#d9dee7;--page:#fff;--card:#f6f7f9;--right:#1f7a4d;--wrong:#b3261e;--plain:#3b5bdb;--mark:#fff3bf}
@media (prefers-color-scheme:dark){:root{--ink:#e6e9ef;--soft:#a3adbd;--line:#39414f;--page:#14181f;--card:#1d232d;--right:#6fcf97;--wrong:#ff8a80;--plain:#91a7ff;--mark:#4a4120}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1060px;padding:24px 16px 64px;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
h1{font-size:24px;margin:0}h2{font-size:18px;margin:36px 0 8px}p{margin:6px 0}
code,.mono{font-family:ui-monospace,monospace;font-size:13px;overflow-wrap:anywhere}
.soft,.tick{color:var(--soft);fill:var(--soft)}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px;margin:20px 0}
.tile{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:10px 14px}
.tile b{display:block;font-size:22px}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,460px),1fr));gap:16px}
figure{margin:0;background:var(--card);border:1px solid var(--line);border-radius:8px;padding:12px}
figcaption{font-weight:600;margin-bottom:6px}
svg{width:100%;height:auto;display:block;font:12px system-ui,sans-serif;fill:var(--ink)}
.grid{stroke:var(--line)}.whisker{stroke:var(--plain);stroke-width:2.5}.point,.plain{fill:var(--plain)}rect.right{fill:var(--right)}rect.wrong{fill:var(--wrong)}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:5px 12px 5px 0;border-bottom:1px solid var(--line);vertical-align:top}
td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.filters{display:flex;flex-wrap:wrap;gap:6px 16px;margin:8px 0}
.filters label{cursor:pointer}
details{border:1px solid var(--line);border-radius:8px;margin:8px 0;background:var(--card)}
summary{cursor:pointer;padding:8px 12px;display:flex;gap:10px;align-items:baseline;flex-wrap:wrap}
details>div{padding:0 14px 12px;border-top:1px solid var(--line)}
.verdict{font-weight:700;white-space:nowrap}.verdict.right{color:var(--right)}.verdict.wrong{color:var(--wrong)}
h3{font-size:14px;margin:14px 0 4px}ul,ol{margin:4px 0;padding-left:22px}li{overflow-wrap:anywhere}
q{background:var(--mark)}.fault{color:var(--wrong);font-weight:600}
body:has(#show-wrong:checked) details:not(.wrong),body:has(#show-right:checked) details:not(.right),body:has(#show-refused:checked) details:not(.refused),body:has(#show-fault:checked) details:not(.faulty){display:none}
`;
