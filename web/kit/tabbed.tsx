import { Tabs } from "@base-ui/react/tabs";
import type { ReactNode } from "react";

export interface TabbedProps {
  readonly label: string;
  /** Title and content of each tab. The first tab is open at the start. */
  readonly parts: readonly (readonly [title: string, content: ReactNode])[];
}

export function Tabbed({ label, parts }: TabbedProps) {
  return (
    <Tabs.Root defaultValue={parts[0]?.[0]}>
      <Tabs.List className="tab-list" aria-label={label}>
        {parts.map(([title]) => (
          <Tabs.Tab key={title} value={title} className="tab">
            {title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {parts.map(([title, content]) => (
        <Tabs.Panel key={title} value={title} className="tab-panel">
          {content}
        </Tabs.Panel>
      ))}
    </Tabs.Root>
  );
}
