export async function firstOf<Event extends { readonly type: string }, Type extends Event["type"]>(
  events: AsyncIterable<Event>,
  type: Type,
): Promise<Extract<Event, { readonly type: Type }>> {
  for await (const event of events) if (event.type === type) return event as Extract<Event, { readonly type: Type }>;
  throw new Error(`no event of type ${type}`);
}
