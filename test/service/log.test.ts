import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

import { expect, it } from 'vitest';

import { projectRoot } from '../support/hob.ts';

it('a line that is not read in time does not corrupt the next', async () => {
  const module = pathToFileURL(join(projectRoot, 'build', 'shared', 'log.js')).href;
  const program = `
    import { createLogger } from '${module}';
    const log = await createLogger('info');
    log.info('x'.repeat(3_000_000));
    process.stdout.write('logged');
    process.stdin.once('data', () => {
      log.info('the next');
      process.exit();
    });
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program]);
  await once(child.stdout, 'data');
  // The reader starts only now.
  const written = text(child.stderr);
  await once(child.stderr, 'data');
  child.stdin.write('go on');
  const lines = (await written).trimEnd().split('\n');
  expect(lines[0]).toMatch(/"msg":"x+$/);
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ msg: 'the next' });
});
