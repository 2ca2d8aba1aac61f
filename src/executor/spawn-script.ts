import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { join } from 'node:path';

import type { RunSpec, StreamCapture } from '../execution/messages.ts';
import { Capture } from './capture.ts';
import type { Fifo, FifoPool } from './fifo-pool.ts';
import { type PipeReader, readFifo, readStream } from './pipe-reader.ts';

/** A script's process, with its output being read. */
export interface SpawnedScript {
  readonly child: ChildProcess;
  /** Everything written so far, settled in the log files. Called once, when the process has ended. */
  settle(): { stdout: StreamCapture; stderr: StreamCapture };
  /** Resolves when nobody holds its streams any more. */
  readonly streamsClosed: Promise<unknown>;
}

/** The one place where scripts are started. */
export async function spawnScript(spec: RunSpec, fifos: FifoPool | null): Promise<SpawnedScript> {
  const stdout = new Capture(join(spec.runFolder, 'stdout.log'), spec.outputLogBytes);
  const stderr = new Capture(join(spec.runFolder, 'stderr.log'), spec.outputLogBytes);
  const { child, readers } =
    fifos === null
      ? spawnWithStreams(spec, stdout, stderr)
      : await spawnWithFifos(spec, fifos, stdout, stderr);
  return {
    child,
    settle() {
      for (const reader of readers) reader.drain();
      return { stdout: stdout.settle(), stderr: stderr.settle() };
    },
    streamsClosed: Promise.all(readers.map((reader) => reader.closed)),
  };
}

interface Started {
  child: ChildProcess;
  readers: PipeReader[];
}

async function spawnWithFifos(
  spec: RunSpec,
  fifos: FifoPool,
  stdout: Capture,
  stderr: Capture,
): Promise<Started> {
  const out = await fifos.take();
  let err: Fifo;
  try {
    err = await fifos.take();
  } catch (error) {
    closeBoth(out);
    throw error;
  }
  let child: ChildProcess;
  try {
    child = start(spec, ['ignore', out.writeFd, err.writeFd]);
  } catch (error) {
    closeBoth(out);
    closeBoth(err);
    throw error;
  }
  // From here on only the script, and what it starts, holds the writing ends.
  closeSync(out.writeFd);
  closeSync(err.writeFd);
  return { child, readers: [readFifo(out.readFd, stdout), readFifo(err.readFd, stderr)] };
}

function spawnWithStreams(spec: RunSpec, stdout: Capture, stderr: Capture): Started {
  const child = start(spec, ['ignore', 'pipe', 'pipe']);
  const readers: PipeReader[] = [];
  if (child.stdout !== null) readers.push(readStream(child.stdout, stdout));
  if (child.stderr !== null) readers.push(readStream(child.stderr, stderr));
  return { child, readers };
}

function start(spec: RunSpec, stdio: ('ignore' | 'pipe' | number)[]): ChildProcess {
  return spawn(spec.file, spec.args, {
    cwd: spec.cwd,
    env: spec.env,
    stdio,
    // A session of its own, so that the whole group can be ended and no terminal of ours is in its reach.
    detached: true,
    windowsHide: true,
  });
}

function closeBoth(fifo: Fifo): void {
  closeSync(fifo.readFd);
  closeSync(fifo.writeFd);
}
