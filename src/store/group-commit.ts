import { messageOf, StoreError } from "../errors.ts";

/** One holder at a time, in the order of asking. */
export class FairLock {
  private last: Promise<void> = Promise.resolve();
  /** How many have asked and do not hold it yet. */
  waiting = 0;

  /** Resolves when everybody who asked before has released it, with what releases it. */
  async acquire(): Promise<() => void> {
    const before = this.last;
    let release: () => void = () => undefined;
    this.last = new Promise((resolve) => {
      release = resolve;
    });
    this.waiting++;
    await before;
    this.waiting--;
    return release;
  }
}

/** Milliseconds after which those who have written are no longer kept waiting for those who would like to join them. */
const JOIN_MS = 2;
/** Code of a transaction that was undone because of another one in its group: it can be run again from its beginning. */
export const GROUP_UNDONE = "store_undone";

/** What a group needs of the connection that writes. */
export interface GroupedConnection {
  /**
   * Runs a statement of transaction control; waits while another process holds the database. Not as a prepared statement: one that finds the database locked
   * stays open until it is collected, and while a writing statement is open nothing that comes after it is committed.
   */
  control(statement: string): Promise<void>;
  /** Commits at once: nobody else can hold what is ours. */
  commit(): void;
  isInTransaction(): boolean;
  /** Resolves when everything that was committed before the call is on the disk. */
  sync(): Promise<void>;
  /** An error with what to do about it. */
  describe(error: unknown): unknown;
}

interface Group {
  members: number;
  readonly begun: number;
  readonly durable: Promise<void>;
  readonly settle: (error: unknown) => void;
}

/** A transaction among others. */
export interface Member {
  /** Resolves when what was written is on the disk. */
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

/**
 * Joins the transactions of those who write at the same time. They run one after the other, each in a savepoint of one transaction, so that one that fails
 * undoes only what it did itself; while the disk takes one group, the next one gathers. Each is acknowledged when its group is on the disk, and not before.
 * When the database undoes a whole group, its members are told `store_undone`; as many as it had then run alone, so that only the one at fault fails.
 */
export class GroupCommit {
  private readonly connection: GroupedConnection;
  private readonly clock: () => number;
  private readonly turns = new FairLock();
  private group: Group | null = null;
  private syncing = 0;
  private isInside = false;
  private aloneFor = 0;
  private broken: unknown = null;

  constructor(connection: GroupedConnection, clock: () => number = () => performance.now()) {
    this.connection = connection;
    this.clock = clock;
  }

  /** Waits for a turn and begins. Exactly one of the member's methods must be called, once. */
  async begin(): Promise<Member> {
    const release = await this.turns.acquire();
    try {
      if (this.broken !== null) throw this.broken;
      const group = this.group ?? (await this.open());
      await this.connection.control("savepoint member");
      group.members++;
      this.isInside = true;
      return {
        commit: async () => {
          try {
            await this.connection.control("release member");
          } finally {
            this.leave(group, release);
          }
          await group.durable;
        },
        rollback: async () => {
          try {
            if (this.connection.isInTransaction()) {
              await this.connection.control("rollback to member");
              await this.connection.control("release member");
            }
          } finally {
            this.leave(group, release);
          }
        },
      };
    } catch (error) {
      if (this.group?.members === 0) this.close();
      release();
      throw error;
    }
  }

  /** Runs what can be no part of a transaction, with nobody else writing. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    const release = await this.turns.acquire();
    try {
      if (this.broken !== null) throw this.broken;
      this.close();
      const result = await work();
      await this.connection.sync();
      return result;
    } finally {
      release();
    }
  }

  /** Ends the last group, then calls `close`. */
  async end(close: () => void): Promise<void> {
    const release = await this.turns.acquire();
    const last = this.group?.durable ?? null;
    try {
      this.close();
      await last?.catch(() => undefined);
    } finally {
      close();
      release();
    }
  }

  private async open(): Promise<Group> {
    await this.connection.control("begin immediate");
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // Members that roll back do not wait for it.
    promise.catch(() => undefined);
    this.group = {
      ...{ members: 0, begun: this.clock(), durable: promise },
      settle: (error) => (error === null ? resolve() : reject(error)),
    };
    return this.group;
  }

  private leave(group: Group, release: () => void): void {
    this.isInside = false;
    if (!this.connection.isInTransaction()) this.lose(group, null);
    const isAlone = this.aloneFor > 0;
    if (isAlone) this.aloneFor--;
    const mayWait = this.syncing > 0 || (this.turns.waiting > 0 && this.clock() - group.begun < JOIN_MS);
    if (isAlone || !mayWait) this.close();
    release();
  }

  /** Commits the open group and has the disk take it; the next one may begin at once. */
  private close(): void {
    const group = this.group;
    if (group === null) return;
    this.group = null;
    try {
      this.connection.commit();
    } catch (error) {
      this.lose(group, error);
      return;
    }
    this.syncing++;
    this.connection.sync().then(
      () => {
        group.settle(null);
        this.synced();
      },
      (cause: unknown) => {
        // What the system says of the log after a failed write cannot be trusted: nothing more is acknowledged.
        this.broken = this.connection.describe(cause);
        group.settle(this.broken);
        this.synced();
      },
    );
  }

  private synced(): void {
    this.syncing--;
    if (this.syncing === 0 && !this.isInside && this.turns.waiting === 0) this.close();
  }

  /** @param cause what a commit failed with; `null`: a statement of one member undid the whole transaction */
  private lose(group: Group, cause: unknown): void {
    if (this.group === group) this.group = null;
    if (this.connection.isInTransaction()) {
      // Left open by a commit that failed.
      this.connection.control("rollback").catch((error: unknown) => {
        this.broken ??= this.connection.describe(error);
      });
    }
    if (group.members > 1) this.aloneFor = group.members;
    group.settle(group.members > 1 || cause === null ? undone(cause) : this.connection.describe(cause));
  }
}

function undone(cause: unknown): StoreError {
  const reason = cause === null ? "" : ` (${messageOf(cause)})`;
  return new StoreError(GROUP_UNDONE, `A write was undone because of another one at the same time${reason}: try again.`, {}, { cause });
}
