import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { pino } from 'pino';
import { describe, expect, it } from 'vitest';

import { addressOpener } from '../../src/notifications/desktop/open-desktop.ts';
import { tempFolder } from '../support/hob.ts';
import { linesOf, until } from '../support/until.ts';

/** An opener that finds programs only in an empty folder, and its log. */
async function startScene() {
  const folder = await tempFolder();
  const bin = join(folder, 'bin');
  await mkdir(bin);
  const lines: string[] = [];
  const log = pino({}, { write: (line) => void lines.push(line) });
  return { folder, bin, lines, open: addressOpener({ environment: { PATH: bin }, log }) };
}

describe.runIf(process.platform === 'linux')('the page of a bubble', () => {
  it('cannot be opened without xdg-open, and the log says once what to install', async () => {
    const { lines, open } = await startScene();
    open('http://127.0.0.1:9527/');
    await until('it is logged', async () => lines.length > 0);
    expect(lines[0]).toContain('Install the package xdg-utils.');
    open('http://127.0.0.1:9527/');
    open('http://127.0.0.1:9527/');
    await new Promise((resolve) => setImmediate(resolve));
    expect(lines).toHaveLength(1);
  });

  it('belongs to Hob, and is never a file or a program', async () => {
    const { folder, bin, open } = await startScene();
    const opened = join(folder, 'opened');
    await writeFile(join(bin, 'xdg-open'), `#!/bin/sh\necho "$@" >> ${opened}\n`, { mode: 0o755 });
    for (const address of ['file:///etc/passwd', '/etc/passwd', 'ssh://host', '-h', '', 'javascript:x']) {
      open(address);
    }
    open('http://127.0.0.1:9527/runs/1');
    const lines = await until('it is opened', async () => {
      const seen = await linesOf(opened);
      return seen.length > 0 && seen;
    });
    expect(lines).toEqual(['http://127.0.0.1:9527/runs/1']);
  });
});
