import { execFile } from 'node:child_process';
import { join } from 'node:path';

import { tempFolder } from './hob.ts';
import { findPackage, has } from './needs.ts';

export interface Ended {
  /** Null if the program was killed because it took too long. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program of an npm package. It runs with Node 22, which is newer than the Node that Hob needs. */
export interface NpmProgram {
  readonly isHere: boolean;
  run(args: readonly string[]): Promise<Ended>;
}

const withinMs = 60_000;

/** `entry` is the program in the folder of the package. */
export function npmProgram(name: string, ...entry: string[]): NpmProgram {
  const nodeName = `node-${process.platform}-${process.arch}`;
  const [node, folder] = [findPackage(nodeName), findPackage(name)];
  const found = [
    has(`the npm package ${nodeName}`, node !== null),
    has(`the npm package ${name}`, folder !== null),
  ];
  return {
    isHere: !found.includes(false),
    async run(args) {
      // The inspector stores files in the home of the user.
      const env = { ...process.env, NODE_V8_COVERAGE: '', HOME: await tempFolder() };
      const program = join(node ?? '', 'bin', 'node');
      return new Promise((resolve) => {
        const child = execFile(
          program,
          [join(folder ?? '', ...entry), ...args],
          { timeout: withinMs, maxBuffer: Number.POSITIVE_INFINITY, env },
          (_error, stdout, stderr) => resolve({ code: child.exitCode, stdout, stderr }),
        );
      });
    },
  };
}
