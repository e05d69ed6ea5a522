import { type ReactNode, useId } from "react";

export function RoomPage({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const id = useId();
  return (
    <main className="room-page" aria-labelledby={id}>
      <h1 id={id} className="room-title">
        {title}
      </h1>
      {children}
    </main>
  );
}
