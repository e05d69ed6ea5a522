import type { Reporter, TestModule, TestSpecification } from "vitest/node";

/** Milliseconds between two lines. */
const PAUSE_MS = 5000;

/** Reports finished files, failures and the estimated remaining time on stderr. On a terminal the default reporter does that. */
export default class Progress implements Reporter {
  private begun = 0;
  private said = 0;
  private files = 0;
  private done = 0;
  private passed = 0;
  private failed = 0;

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.begun = Date.now();
    this.said = this.begun;
    this.files = specifications.length;
  }

  onTestModuleEnd(module: TestModule): void {
    this.done++;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === "passed") this.passed++;
      if (state === "failed") this.failed++;
    }
    const now = Date.now();
    if (process.stdout.isTTY || (now - this.said < PAUSE_MS && this.done < this.files)) return;
    this.said = now;
    const leftS = Math.round(((now - this.begun) / this.done) * (this.files - this.done)) / 1000;
    process.stderr.write(
      `-- ${this.done} of ${this.files} files, ${this.passed} tests passed, ${this.failed} failed, some ${leftS.toFixed(0)} s left\n`,
    );
  }
}
