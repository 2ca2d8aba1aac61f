import { describe, expect, it } from 'vitest';

import { someScript } from '../../test/support/some-script.ts';
import type { ScriptRuntime } from '../scripts/script.ts';
import { chooseWarm } from './run-carrier.ts';

const warm = { language: 'python', options: ['-X', 'utf8'], entry: '/scripts/some/main.py' } as const;
const command = { file: '/usr/bin/python3', args: [...warm.options, warm.entry], env: {}, warm };
const cold = { file: '/bin/sh', args: ['main.sh'], env: {} };
const window = { commands: [['xterm']], env: {}, title: 'some', language: 'en', hold: 'never' } as const;

function scriptWith(runtime: Partial<ScriptRuntime>) {
  const script = someScript();
  return { ...script, runtime: { ...script.runtime, ...runtime } };
}

describe('a run', () => {
  it('may start in an interpreter that has preloaded the modules of its script', () => {
    expect(chooseWarm(command, scriptWith({ preload: ['numpy'] }), null)).toEqual({
      ...warm,
      preload: ['numpy'],
    });
  });

  it('starts its own interpreter if its script requires that, in a window, and without a warm interpreter', () => {
    expect(chooseWarm(command, scriptWith({ mayStartWarm: false }), null)).toBeNull();
    expect(chooseWarm(command, scriptWith({}), window)).toBeNull();
    expect(chooseWarm(cold, scriptWith({}), null)).toBeNull();
  });
});
