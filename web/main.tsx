import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createClient } from "../src/client/index.ts";
import { Page } from "./ask/page.tsx";
import "./styles/tokens.css";
import "./styles/page.css";
import "./styles/turn.css";

const root = document.getElementById("root");
if (root === null) throw new Error("the page has no #root");
createRoot(root).render(
  <StrictMode>
    <Page client={createClient({ baseUrl: "" })} />
  </StrictMode>,
);
