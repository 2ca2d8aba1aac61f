import { execFileSync } from 'node:child_process';
import { closeSync, constants, fstatSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { Capture, readPipe } from './capture.ts';

async function openFifo() {
  const folder = await tempFolder();
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  const readFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writeFd = openSync(path, constants.O_WRONLY);
  const log = join(folder, 'log');
  const capture = new Capture(log, 1024 * 1024);
  return { folder, readFd, writeFd, log, capture, reader: readPipe(readFd, capture) };
}

describe('the reader of a named pipe', () => {
  it('reads the content of the pipe on request, although another process still holds its writing end', async () => {
    const { writeFd, log, capture, reader } = await openFifo();
    writeSync(writeFd, 'before the end');
    await reader.drain();
    expect((await capture.settle()).bytes).toBe(14);
    writeSync(writeFd, ' and after');
    closeSync(writeFd);
    await reader.closed;
    expect(readFileSync(log, 'utf8')).toBe('before the end');
  });

  it('does not read from another file that got the number of its closed handle', async () => {
    const { folder, readFd, writeFd, log, capture, reader } = await openFifo();
    writeSync(writeFd, 'mine');
    closeSync(writeFd);
    // The handle is closed in one phase of the event loop, and reported in a later one. Test the time between them.
    while (isOpen(readFd)) await new Promise((resolve) => setImmediate(resolve));
    writeFileSync(join(folder, 'foreign'), 'not mine');
    const opened = Array.from({ length: 8 }, () => openSync(join(folder, 'foreign'), 'r'));
    expect(opened).toContain(readFd);
    await reader.drain();
    for (const fd of opened) closeSync(fd);
    expect((await capture.settle()).bytes).toBe(4);
    expect(readFileSync(log, 'utf8')).toBe('mine');
  });

  it('stops reading from a writer that never stops', async () => {
    const { writeFd, capture, reader } = await openFifo();
    const chunk = Buffer.alloc(4096, 'x');
    const original = capture.take.bind(capture);
    // Refills the pipe while it is being drained.
    let isDraining = true;
    capture.take = (bytes) => {
      original(bytes);
      if (isDraining) writeSync(writeFd, chunk);
    };
    writeSync(writeFd, chunk);
    await reader.drain();
    isDraining = false;
    const { bytes } = await capture.settle();
    expect(bytes).toBeGreaterThan(4096);
    expect(bytes).toBeLessThan(4 * 1024 * 1024);
    closeSync(writeFd);
  });
});

function isOpen(fd: number): boolean {
  try {
    fstatSync(fd);
    return true;
  } catch {
    return false;
  }
}
