import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Libsql from "libsql";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { GroupCommit, type GroupedConnection } from "./group-commit.ts";

let folder = "";
let db: InstanceType<typeof Libsql>;
let reader: InstanceType<typeof Libsql>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sourcebound-test-"));
  db = new Libsql(join(folder, "test.db"));
  db.pragma("journal_mode = WAL");
  db.exec("create table t (n integer primary key)");
  reader = new Libsql(join(folder, "test.db"));
});
afterEach(() => {
  db.close();
  reader.close();
  rmSync(folder, { recursive: true, force: true });
});

const stored = () => (reader.prepare("select n from t order by n").all() as { n: number }[]).map(({ n }) => n);

/** A group on a database whose disk takes what it is given when it is told to. */
function grouped(over: Partial<GroupedConnection> = {}) {
  const waiting: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const commits: number[][] = [];
  const group = new GroupCommit({
    control: async (statement) => void db.exec(statement),
    commit: () => {
      db.exec("commit");
      commits.push(stored());
    },
    isInTransaction: () => db.inTransaction,
    sync: () => new Promise<void>((resolve, reject) => waiting.push({ resolve, reject })),
    describe: (error) => error,
    ...over,
  });
  const write = async (n: number, fails = false) => {
    const member = await group.begin();
    try {
      db.exec(`insert into t values (${n})`);
      if (fails) throw new Error(`not ${n}`);
    } catch (error) {
      await member.rollback();
      throw error;
    }
    await member.commit();
    return n;
  };
  return { group, write, waiting, commits };
}

const soon = () => new Promise((resolve) => setTimeout(resolve, 20));

describe("GroupCommit", () => {
  it("acknowledges nothing before it is on the disk; what comes meanwhile is one transaction and one look at the disk", async () => {
    const { write, waiting, commits } = grouped();
    const acknowledged: number[] = [];
    const writes = [write(0)];
    await soon();
    writes.push(...Array.from({ length: 50 }, (_, i) => write(i + 1)));
    for (const one of writes) one.then((n) => acknowledged.push(n));
    await soon();
    expect(acknowledged).toEqual([]);
    expect(commits).toEqual([[0]]);
    waiting[0]?.resolve();
    await soon();
    expect(acknowledged).toEqual([0]);
    expect(commits).toHaveLength(2);
    expect(commits[1]).toHaveLength(51);
    expect(waiting).toHaveLength(2);
    waiting[1]?.resolve();
    await Promise.all(writes);
    expect(acknowledged).toHaveLength(51);
    expect(waiting).toHaveLength(2);
  });

  it("undoes only what a member that fails has done", async () => {
    const { write, waiting } = grouped({ sync: async () => undefined });
    const results = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => write(n === 13 ? 3 : n, n % 5 === 0)));
    expect(results.map(({ status }) => status === "fulfilled")).toEqual(Array.from({ length: 20 }, (_, n) => n % 5 !== 0 && n !== 13));
    expect(stored()).toEqual(Array.from({ length: 20 }, (_, n) => n).filter((n) => n % 5 !== 0 && n !== 13));
    expect(waiting).toEqual([]);
  });

  it("tells those whose group was undone that they can try again, and lets them run alone", async () => {
    const { group, write, waiting, commits } = grouped();
    const held = write(0);
    await soon();
    const neighbours = [write(1), write(2)];
    const guilty = (async () => {
      const member = await group.begin();
      db.exec("insert into t values (3)");
      // As a full disk does it: the whole transaction is gone, not only this part of it.
      db.exec("rollback");
      await member.rollback();
    })();
    const results = Promise.allSettled(neighbours);
    await guilty;
    expect(await results).toMatchObject([{ reason: { code: "store_undone" } }, { reason: { code: "store_undone" } }]);
    const again = [write(1), write(2)];
    await soon();
    expect(commits).toEqual([[0], [0, 1], [0, 1, 2]]);
    for (const one of waiting) one.resolve();
    await Promise.all([held, ...again]);
    expect(stored()).toEqual([0, 1, 2]);
  });

  it("tries the members of a group one by one when its commit fails: only the one at fault fails", async () => {
    let isFull = (rows: number) => rows > 2;
    const { write, waiting } = grouped({
      commit: () => {
        const [{ n }] = db.prepare("select count(*) as n from t where n >= 10").all() as [{ n: number }];
        if (isFull(n)) throw Object.assign(new Error("disk full"), { code: "SQLITE_FULL" });
        db.exec("commit");
      },
    });
    const first = write(0);
    await soon();
    const group = [write(10), write(11), write(12)];
    const results = Promise.allSettled(group);
    waiting[0]?.resolve();
    expect(await results).toMatchObject([10, 11, 12].map(() => ({ reason: { code: "store_undone" } })));
    const again = [write(10), write(11), write(12)];
    const last = Promise.allSettled(again);
    await soon();
    for (const one of waiting) one.resolve();
    expect(await last).toMatchObject([{ value: 10 }, { value: 11 }, { reason: { code: "SQLITE_FULL" } }]);
    isFull = () => false;
    const after = write(13);
    await soon();
    for (const one of waiting) one.resolve();
    expect(await Promise.all([first, after])).toEqual([0, 13]);
    expect(stored()).toEqual([0, 10, 11, 13]);
  });

  it("acknowledges nothing any more once the disk has failed", async () => {
    const { write, waiting } = grouped();
    const lost = Promise.allSettled([write(1)]);
    await soon();
    waiting[0]?.reject(new Error("EIO"));
    expect(await lost).toMatchObject([{ reason: { message: "EIO" } }]);
    await expect(write(2)).rejects.toThrow("EIO");
  });

  it("ends with what was begun on the disk", async () => {
    const { group, write, waiting } = grouped();
    const writes = [write(1), write(2)];
    const ended = group.end(() => waiting.push({ resolve: () => undefined, reject: () => undefined }));
    await soon();
    for (const one of waiting) one.resolve();
    await soon();
    for (const one of waiting) one.resolve();
    await Promise.all([...writes, ended]);
    expect(stored()).toEqual([1, 2]);
  });
});
