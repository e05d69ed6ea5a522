import { Menu } from "@base-ui/react/menu";

export interface ActionMenuProps {
  readonly busy: boolean;
  readonly onLink: () => void;
  readonly onRetry: () => void;
}

/** The less frequent answer actions in a menu that is open when mounted: it mounts when a reader presses its button. */
export default function ActionMenu({ busy, onLink, onRetry }: ActionMenuProps) {
  return (
    <Menu.Root defaultOpen>
      <Menu.Trigger className="quiet-button">More</Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className="floating" sideOffset={4} collisionPadding={12}>
          <Menu.Popup className="menu">
            <Menu.Item className="menu-item" onClick={onLink}>
              Copy a link to this answer
            </Menu.Item>
            <Menu.Item className="menu-item" disabled={busy} onClick={onRetry}>
              Ask again
            </Menu.Item>
            <Menu.Item className="menu-item" onClick={() => window.print()}>
              Print
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
