import { describe, expect, it, vi } from 'vitest';

import { startHob, tempFolder } from '../support/hob.ts';
import { bash, python, writeScript } from '../support/scripts.ts';

/** Every service of this file starts programs as on a machine where direct system calls are not available. */
vi.stubEnv('HOB_NATIVE_START', 'false');

describe('programs that Node starts', () => {
  it('have output, exit codes and errors, and no warm interpreter', async () => {
    const scripts = await tempFolder();
    const sh = await writeScript(scripts, 'sh', { entry: bash('echo 出; echo 错 >&2; exit 7') });
    const py = await writeScript(scripts, 'py', { language: 'python', entry: python('print("py")') });
    const hob = await startHob({ scripts: [scripts] });
    expect((await hob.run(sh)).body).toMatchObject({ exit_code: 7, stdout: '出\n', stderr: '错\n' });
    for (let count = 0; count < 3; count++)
      expect((await hob.run(py)).body).toMatchObject({ exit_code: 0, stdout: 'py\n' });
    expect((await hob.get('/api/health')).body).toMatchObject({ warm: { hits: 0, misses: 0 } });
  });
});

// The suites about stopping runs, with these services.
await import('../runs/cancel.test.ts');
await import('../reliability/termination.test.ts');
