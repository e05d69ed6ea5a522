import { lazy } from "react";
import { Late } from "../kit/late.tsx";
import type { SessionsProps } from "./sessions-dialog.tsx";

const load = () => import("./sessions-dialog.tsx");
const SessionsDialog = lazy(load);

/** Earlier conversations of this browser. */
export function Sessions(props: SessionsProps) {
  return (
    <Late className="quiet-button" label="History" opens="dialog" load={() => void load()}>
      <SessionsDialog {...props} />
    </Late>
  );
}
