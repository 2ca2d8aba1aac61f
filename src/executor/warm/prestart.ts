import { closeSync } from 'node:fs';

import { closeBoth, type Fifo, type FifoPool, type OutputPipe } from '../fifo-pool.ts';
import { isEnding, startTicksOf } from '../process-table.ts';
import { commandLineBytes, hostCommand } from './host-command.ts';
import { startHost } from './start-host.ts';
import type { InterpreterSpec, WarmInterpreter } from './warm-interpreter.ts';

export type PrestartFailure = 'unfit' | 'gone';

interface PrestartTools {
  readonly program: string;
  readonly fifos: FifoPool;
  /** Aborted when the interpreter is not needed any more: its modules may never finish loading. */
  readonly signal: AbortSignal;
}

/** Starts an interpreter that waits for its one run itself. Resolves when it is ready. */
export async function prestart(
  spec: InterpreterSpec,
  { program, fifos, signal }: PrestartTools,
): Promise<WarmInterpreter | PrestartFailure> {
  const pipes: Fifo[] = [];
  try {
    pipes.push(await fifos.take());
    pipes.push(await fifos.take());
  } catch {
    // There are no free file handles, or the disk is full.
  }
  const [stdout, stderr] = pipes;
  if (stdout === undefined || stderr === undefined || signal.aborted) {
    for (const pipe of pipes) closeBoth(pipe);
    return 'gone';
  }
  const command = hostCommand(spec, { program, isForked: false });
  const host = startHost(command, [stdout.writeFd, stderr.writeFd]);
  closeSync(stdout.writeFd);
  closeSync(stderr.writeFd);
  signal.addEventListener('abort', host.kill);
  const answer = new Promise<string>((resolve) => host.onLine(resolve));
  host.send(command.config);
  const first = await Promise.race([answer, host.silent]);
  signal.removeEventListener('abort', host.kill);
  const closeStreams = () => {
    closeSync(stdout.readFd);
    closeSync(stderr.readFd);
  };
  if (first !== 'ready' || host.pid === undefined) {
    closeStreams();
    host.kill();
    return first === 'unfit' ? 'unfit' : 'gone';
  }
  const { pid } = host;
  let isGone = false;
  void host.exited.then(() => {
    isGone = true;
  });
  return {
    pid,
    startTicks: startTicksOf(pid),
    stdout: usedOnce(stdout),
    stderr: usedOnce(stderr),
    exited: host.exited,
    give: (order) => {
      if (isGone || isEnding(pid) || bytesOf([order.entry, ...order.args]) > commandLineBytes) return false;
      host.send(order);
      host.dismiss();
      return true;
    },
    discard: () => {
      closeStreams();
      host.dismiss();
    },
  };
}

/** The size of these arguments in a command line, where each ends with a zero byte. */
function bytesOf(args: readonly string[]): number {
  return args.reduce((sum, each) => sum + Buffer.byteLength(each) + 1, 0);
}

function usedOnce({ readFd }: Fifo): OutputPipe {
  return { readFd, giveBack: () => closeSync(readFd), giveUp: () => {} };
}
