/** Runs in the page: extends each stored conversation to `turns` turns. */
export async function grow(turns: number): Promise<void> {
  const done = <T>(request: IDBRequest<T>) =>
    new Promise<T>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  const store = (await done(indexedDB.open("sourcebound"))).transaction("conversations", "readwrite").objectStore("conversations");
  for (const kept of await done(store.getAll())) {
    const [first] = kept.conversation.turns;
    kept.conversation.turns = Array.from({ length: turns }, (_, i) => ({ ...first, id: i + 1 }));
    await done(store.put(kept));
  }
}
