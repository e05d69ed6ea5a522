// This must be the first import, for the reason in first.ts.
import "./first.ts";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/app.tsx";
import { lookFirst } from "./app/first-look.ts";
import { firstCalls } from "./first.ts";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/ask.css";
import "./styles/panes.css";
import "./styles/views.css";
// This must be the last import, because its media queries override the other style sheets.
import "./styles/media.css";

const root = document.getElementById("root");
if (root === null) throw new Error("the page has no #root");
const page = createRoot(root);
// Do not use top-level await here: the build would then split this file and its imports into separate requests.
lookFirst(firstCalls).then((first) =>
  page.render(
    <StrictMode>
      <App first={first} />
    </StrictMode>,
  ),
);
