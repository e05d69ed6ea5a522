import { lazy } from "react";
import type { ExplainedProps } from "./explained-popover.tsx";
import { Late } from "./late.tsx";

const load = () => import("./explained-popover.tsx");
const ExplainedPopover = lazy(load);

/** Words whose meaning is one click away. */
export function Explained(props: ExplainedProps) {
  return (
    <Late className="explained" label={props.label} opens="dialog" load={() => void load()}>
      <ExplainedPopover {...props} />
    </Late>
  );
}
