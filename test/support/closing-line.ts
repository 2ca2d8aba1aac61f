import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import type { Reporter, TestModule, Vitest } from 'vitest/node';

import { runAgainFile } from '../projects.ts';
import { skips } from './needs.ts';

interface Lack {
  readonly what: string;
  readonly file: string;
}

const slowest = 10;

/** Prints the slowest files, a line for each thing that the machine lacks, and at the end one machine-readable line. */
export default class ClosingLine implements Reporter {
  #root = '';
  #isWhole = true;
  /** Test files append a line for each thing that the machine lacks. */
  #lacksFile = '';

  onInit({ config }: Vitest): void {
    this.#root = config.root;
    this.#lacksFile = join(dirname(join(config.root, runAgainFile)), `lacks-${process.pid}.jsonl`);
    // The processes of the test files start later, and inherit it.
    process.env.TEST_LACKS = this.#lacksFile;
    mkdirSync(dirname(this.#lacksFile), { recursive: true });
    // With a pattern, the other tests count as skipped.
    this.#isWhole = config.testNamePattern === undefined;
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const lacks = this.#takeLacks();
    const counts = { passed: 0, failed: errors.length, skipped: 0 };
    for (const module of modules) {
      // A file that cannot be loaded has no tests to count.
      if (module.state() === 'failed' && [...module.children.allTests()].length === 0) counts.failed++;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state !== 'pending') counts[state]++;
      }
    }
    const unexplained =
      process.env.CI === 'true' && this.#isWhole ? skippedWithoutReason(modules, lacks) : [];
    if (unexplained.length > 0) process.exitCode = 1;
    counts.failed += unexplained.length;
    if (process.env.TEST_PART === 'default') this.#noteRunAgain(lacks);

    const { passed, failed, skipped } = counts;
    const lines = [
      ...this.#slowestOf(modules),
      ...unexplained.map((name) => `skipped without a reason: ${name}`),
      ...this.#linesOf(lacks),
      `${passed} passed, ${failed} failed, ${skipped} skipped`,
    ];
    // Printed on exit, so that it comes after the output of all other reporters and of coverage.
    process.on('exit', () => process.stdout.write(`\n${lines.join('\n')}\n`));
  }

  #slowestOf(modules: readonly TestModule[]): string[] {
    const timed = modules.map((module) => {
      const { collectDuration, setupDuration, duration } = module.diagnostic();
      return { file: module.moduleId, seconds: (collectDuration + setupDuration + duration) / 1000 };
    });
    timed.sort((a, b) => b.seconds - a.seconds);
    return [
      'The slowest files, in seconds:',
      ...timed
        .slice(0, slowest)
        .map(({ file, seconds }) => `${seconds.toFixed(1).padStart(7)}  ${this.#nameOf(file)}`),
    ];
  }

  #linesOf(lacks: readonly Lack[]): string[] {
    return [...new Set(lacks.map(({ what }) => what))].map((what) => {
      const why = skips.find((skip) => skip.what === what)?.why ?? 'not on this machine';
      const files = lacks.filter((lack) => lack.what === what).map(({ file }) => this.#nameOf(file));
      return `skipped: ${what} (${why}): ${[...new Set(files)].join(', ')}`;
    });
  }

  /** `npm run test:rest` runs files again whose needs it can install. */
  #noteRunAgain(lacks: readonly Lack[]): void {
    const files = lacks
      .filter(({ what }) => !skips.some((skip) => skip.what === what))
      .map(({ file }) => this.#nameOf(file));
    writeFileSync(join(this.#root, runAgainFile), JSON.stringify([...new Set(files)]));
  }

  #takeLacks(): Lack[] {
    if (!existsSync(this.#lacksFile)) return [];
    const lines = readFileSync(this.#lacksFile, 'utf8').split('\n');
    rmSync(this.#lacksFile);
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
  }

  #nameOf(file: string): string {
    return relative(this.#root, file);
  }
}

/** Skipped tests of files that lack nothing. */
function skippedWithoutReason(modules: readonly TestModule[], lacks: readonly Lack[]): string[] {
  const explained = new Set(lacks.map(({ file }) => file));
  return modules
    .filter(({ moduleId }) => !explained.has(moduleId))
    .flatMap((module) => [...module.children.allTests('skipped')].map(({ fullName }) => fullName));
}
