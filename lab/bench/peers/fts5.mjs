import Database from "libsql";

export const peer = {
  name: "SQLite FTS5 (libsql)",
  package: "libsql",
  async words(passages) {
    const db = new Database(":memory:");
    db.exec("create virtual table passages using fts5(text, content='')");
    const insert = db.prepare("insert into passages(rowid, text) values (?, ?)");
    db.exec("begin");
    for (const [id, tokens] of passages.entries()) insert.run([id + 1, tokens.join(" ")]);
    db.exec("commit");
    const select = db.prepare("select rowid from passages where passages match ? order by rank limit ?");
    return async (query, k) => select.all([query.map((token) => `"${token}"`).join(" OR "), k]).map(({ rowid }) => rowid - 1);
  },
};
