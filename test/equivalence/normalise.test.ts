import { describe, expect, it } from 'vitest';

import { normalise, normaliseBytes, withoutOwnFrames } from './normalise.ts';

const host = '/opt/hob/dist/executor/warm';
const lines = (...all: string[]) => all.join('\n');

describe('stack frames of the host', () => {
  it('are removed from a Node stack, together with those of the loader', () => {
    expect(
      withoutOwnFrames(
        lines(
          'Error: x',
          '    at fail (/scripts/main.js:1:7)',
          '    at Module._compile (node:internal/modules/cjs/loader:1554:14)',
          '    at node:internal/main/run_main_module:36:49',
          `    at start (${host}/host.cjs:9:3)`,
          `    at async file://${host}/host.mjs:9:3 {`,
          "  code: 'X'",
        ),
      ),
    ).toBe(lines('Error: x', '    at fail (/scripts/main.js:1:7)', '{', "  code: 'X'"));
  });

  it('are removed from nested errors and from the message of a Node abort', () => {
    expect(
      withoutOwnFrames(
        lines(
          '    at main (/scripts/main.js:1:7)',
          '    ... 7 lines matching cause stack trace ...',
          '        at Module.load (node:internal/modules/cjs/loader:1266:32),',
          '1: main (/scripts/main.js:1:7)',
          '6: executeUserEntryPoint (node:internal/modules/run_main:164:12)',
          `7: ${host}/host.cjs:9:3`,
        ),
      ),
    ).toBe(
      lines(
        '    at main (/scripts/main.js:1:7)',
        '    ... lines matching cause stack trace ...',
        '1: main (/scripts/main.js:1:7)',
      ),
    );
  });

  it('are not removed if the program itself prints such paths', () => {
    const text = lines(
      `File "${host}/host.py" was read`,
      '    indented',
      `  File "${host}/host.py", line 3, in run`,
      `    at ${host}/host.cjs`,
      `  File "/scripts/executor/warm/host.py", line 3, in run`,
      '    exec(code)',
      '    at fs.readFileSync (node:fs:448:20)',
      'node:internal/modules/cjs/loader:1228',
    );
    expect(withoutOwnFrames(text)).toBe(text);
  });
});

describe('normalisation of two runs of one program', () => {
  it('replaces the folder, the run id, the process id and addresses, and nothing else', () => {
    const particulars = { folder: '/s/warm/one', runId: 'a-b-c' };
    expect(
      normalise('/s/warm/one/main.py /s/warm/other a-b-c 0x7f0000001234 (node:12) 0xff 12', particulars),
    ).toBe('<folder>/main.py <scripts>/other <run> <address> (node:<pid>) 0xff 12');
    expect(normaliseBytes(Buffer.from([0xff, 0x41]), particulars)).toBe('\u00ffA');
    expect(normaliseBytes(Buffer.from('é'), particulars)).toBe('é');
  });
});
