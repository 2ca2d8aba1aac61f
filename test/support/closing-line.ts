import type { Reporter, TestModule } from 'vitest/node';

/** Prints one machine-readable line at the end of the output. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const counts = { passed: 0, failed: errors.length, skipped: 0 };
    for (const module of modules) {
      // A file that cannot be loaded has no tests to count.
      if (module.state() === 'failed' && [...module.children.allTests()].length === 0) counts.failed++;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state !== 'pending') counts[state]++;
      }
    }
    const { passed, failed, skipped } = counts;
    // Printed on exit, so that it comes after the output of all other reporters and of coverage.
    process.on('exit', () =>
      process.stdout.write(`\n${passed} passed, ${failed} failed, ${skipped} skipped\n`),
    );
  }
}
