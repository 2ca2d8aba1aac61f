import { describe, expect, it } from 'vitest';

import type { GivenRun } from '../given-run.ts';
import { describeInterpreter } from './warm-pool.ts';

const runId = 'c9a646d3-9c61-4cb7-bfcd-ee2522c8f633';

function runOf(env: Record<string, string> = {}, options: Partial<GivenRun> = {}): GivenRun {
  return {
    runId,
    file: '/usr/bin/python3',
    args: ['/scripts/one/main.py', '/runs/1/params.json'],
    isVerbatim: false,
    cwd: '/scripts/one',
    env: { PATH: '/usr/bin', HOB_RUN_ID: runId, ...env },
    runFolder: '/runs/1',
    timeoutMs: null,
    stopGraceMs: 1000,
    outputLogBytes: 1000,
    survivors: 'keep',
    warm: { language: 'python', options: [], entry: '/scripts/one/main.py', preload: [] },
    ...options,
  };
}

const keyOf = (spec: GivenRun) => describeInterpreter(spec)?.key ?? null;

describe('the interpreters that can execute a run', () => {
  it('are the same for runs of different scripts, with different parameters, in different folders', () => {
    const other = runOf(
      { HOB_RUN_ID: '0b9c2ae8-6d3c-4a46-9d0d-0a1b2c3d4e5f' },
      {
        runId: '0b9c2ae8-6d3c-4a46-9d0d-0a1b2c3d4e5f',
        cwd: '/scripts/two',
        args: ['/scripts/two/a.py', 'x', 'y'],
        warm: { language: 'python', options: [], entry: '/scripts/two/a.py', preload: [] },
      },
    );
    expect(keyOf(other)).toBe(keyOf(runOf()));
  });

  it('differ by program, options, preloaded modules, and every variable', () => {
    const entry = '/scripts/one/main.py';
    const keys = [
      runOf(),
      runOf({}, { file: '/usr/bin/python3.11' }),
      runOf({}, { args: ['-B', entry], warm: { language: 'python', options: ['-B'], entry, preload: [] } }),
      runOf({}, { warm: { language: 'python', options: [], entry, preload: ['csv'] } }),
      runOf({}, { warm: { language: 'node.js', options: [], entry, preload: [] } }),
      runOf({ LANG: 'C' }),
      runOf({ LANG: '' }),
      runOf({ PYTHONPATH: '/opt/lib' }),
    ].map(keyOf);
    expect(keys).not.toContain(null);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('differ by the content of the shared environment, not by its object', () => {
    const keys = [{ LANG: 'C' }, { LANG: 'C' }, { LANG: '' }].map((shared) => keyOf(runOf({}, { shared })));
    expect(keys[1]).toBe(keys[0]);
    expect(keys[2]).not.toBe(keys[0]);
    expect(keys).not.toContain(null);
  });

  it('do not exist when a shared variable prevents it, unless the run overrides that variable with an allowed value', () => {
    expect(keyOf(runOf({}, { shared: { PYTHONHASHSEED: '1' } }))).toBeNull();
    expect(keyOf(runOf({ PYTHONHASHSEED: '2' }, { shared: { PYTHONHASHSEED: '1' } }))).toBeNull();
    const shared = { PYTHONPATH: 'lib' };
    expect(keyOf(runOf({}, { shared }))).toBeNull();
    expect(keyOf(runOf({ PYTHONPATH: '/opt/lib' }, { shared }))).not.toBeNull();
  });

  it('have the shared environment, and the variables that each run overrides', () => {
    const shared = { A: 'shared', B: 'shared' };
    const { interpreter } = describeInterpreter(runOf({ B: 'own' }, { shared })) ?? {};
    expect(interpreter?.().env).toMatchObject({ A: 'shared', B: 'own', PATH: '/usr/bin' });
  });

  it('have a placeholder for the id of their run', () => {
    const { interpreter } = describeInterpreter(runOf({ A: 'b' })) ?? {};
    expect(interpreter?.().env).toEqual({
      PATH: '/usr/bin',
      A: 'b',
      HOB_RUN_ID: '00000000-0000-0000-0000-000000000000',
    });
  });

  it.each([
    ['must not be warm', runOf({}, { warm: null })],
    [
      'has a window',
      runOf({}, { window: { commands: [], env: {}, title: '', language: 'en', hold: 'never' } }),
    ],
    ['is quoted for Windows', runOf({}, { isVerbatim: true })],
    ['has an id of another length', runOf({}, { runId: 'short' })],
    [
      'has its entry at another position of the command',
      runOf({}, { args: ['-X', 'dev', '/scripts/one/main.py'] }),
    ],
  ])('do not exist for a run that %s', (_what, spec) => {
    expect(describeInterpreter(spec)).toBeNull();
  });

  it.each([
    'PYTHONHASHSEED',
    'PYTHONHOME',
    'PYTHONSTARTUP',
    'PYTHONOPTIMIZE',
    'PYTHONMALLOC',
    'PYTHONDEVMODE',
    'PYTHONSAFEPATH',
    'PYTHON_GIL',
  ])('do not exist for Python with %s, which is read when it starts', (name) => {
    expect(keyOf(runOf({ [name]: '1' }))).toBeNull();
  });

  it('do not exist for Node with options in a variable, which Python ignores', () => {
    const entry = '/scripts/one/main.py';
    expect(keyOf(runOf({ NODE_OPTIONS: '--expose-gc' }))).not.toBeNull();
    const node = { warm: { language: 'node.js', options: [], entry, preload: [] } } as const;
    expect(keyOf(runOf({ NODE_OPTIONS: '--expose-gc' }, node))).toBeNull();
    expect(keyOf(runOf({ PYTHONHASHSEED: '0' }, node))).not.toBeNull();
  });

  it.each([
    ['PYTHONPATH', 'lib'],
    ['PYTHONPATH', '/opt/lib:lib'],
    ['PYTHONPATH', '/opt/lib:'],
    ['NODE_PATH', './modules'],
    ['LD_LIBRARY_PATH', '.'],
  ])('do not exist when %s is %j, which refers to the folder of the script', (name, value) => {
    expect(keyOf(runOf({ [name]: value }))).toBeNull();
  });

  it.each(['', '/opt/lib', '/opt/lib:/opt/more'])('exist when PYTHONPATH is %j', (value) => {
    expect(keyOf(runOf({ PYTHONPATH: value }))).not.toBeNull();
  });
});
