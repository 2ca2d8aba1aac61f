import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { offerFor, offerLines } from '../../src/cli/commands/complete.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { type Hob, launchHob, runCli, tempFolder } from '../support/hob.ts';
import { findProgram, has } from '../support/needs.ts';
import { writeScript } from '../support/scripts.ts';
import { hasTmux, hobOnPath, openTmux } from '../support/tmux.ts';

const id = '2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11';
/** A name with shell syntax, which no shell may execute. */
const hostile = "Zap $(touch pwned) it's `id`";
let home: string;
let hob: Hob;
let runId: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'hob-test-'));
  const tables =
    '[[service.params]]\nname = "mode"\ntype = "str"\nchoices = ["fast", "slow"]\ndefault = "fast"\n';
  await writeScript(join(home, 'scripts'), 'one', { id, name: 'Resize my images', tables });
  await writeScript(join(home, 'scripts'), 'two', { name: hostile });
  hob = await launchHob({ home });
  vi.stubEnv('HOB_HOME', home);
  await hob.send('PUT', '/api/triggers/night', `{"script":"${id}","kind":"schedule","cron":"@daily"}`);
  const answer = await hob.run(id);
  runId = answer.headers.get('x-hob-run-id') ?? '';
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await hob.stop();
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
});

/** The completions of the last word. */
async function offered(...words: string[]): Promise<string[]> {
  const program = await buildProgram(({ name }) => name === words[0]);
  return offerLines(await offerFor(program, words), words.at(-1) ?? '')
    .split('\n')
    .filter((each) => each !== '')
    .map((each) => each.split('\t')[0] ?? '');
}

describe('hob complete', () => {
  it.each([
    [['mod'], ['model']],
    [['compl'], ['completion']],
    [
      ['service', ''],
      ['install', 'uninstall', 'status'],
    ],
    [
      ['new', '--lang', 'p'],
      ['python', 'powershell'],
    ],
    [['new', 'x', '--lang=b'], ['--lang=bash']],
    [['model', 'pull', '--sou'], ['--source']],
    [['completion', 'z'], ['zsh']],
    [['check', ''], [':folders']],
    [['pack', '-o', ''], [':files']],
    [['model', 'pull', '--revision', ''], []],
    [['uninstall', 'R'], ['Resize my images']],
    [['uninstall', 'Z'], [hostile]],
    [['run', 'res'], ['resize-my-images']],
    [['uninstall', '2f0c'], [id]],
    [
      ['model', 'pull', '--for', ''],
      ['resize-my-images', 'zap-touch-pwned-its-id'],
    ],
    [['run', 'resize', '-p', ''], ['mode=']],
    [
      ['run', 'resize', 'a.png', '-p', 'mode='],
      ['mode=fast', 'mode=slow'],
    ],
    [['triggers', 'pause', ''], ['night']],
    [['triggers', 'add', 'resize', '-p', ''], ['mode=']],
    [['triggers', 'add', 'res'], ['resize-my-images']],
    [['triggers', 'add', 'resize', '--missed', 'o'], ['once']],
    [['logs', 'la'], ['last']],
    [['cancel', ''], []],
    [['nonesuch', ''], []],
  ])('completes %j with %j', async (words, expected) => {
    expect(await offered(...words)).toEqual(expected);
  });

  it('offers the runs of the service, the last one first', async () => {
    const program = await buildProgram(({ name }) => name === 'logs');
    const [last, run] = offerLines(await offerFor(program, ['logs', '']), '').split('\n');
    expect(last).toBe('last\t');
    expect(run).toBe(`${runId}\tResize my images, succeeded`);
  });

  it('offers and prints nothing if no service runs', async () => {
    const { code, stdout, stderr } = await runCli(['complete', '--', 'uninstall', ''], {
      HOB_HOME: await tempFolder(),
    }).ended;
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});

describe('hob completion', () => {
  it('refuses an unknown shell: 2', async () => {
    expect(await runCli(['completion', 'cmd']).ended).toMatchObject({ code: 2, stdout: '' });
    expect(await runCli(['completion']).ended).toMatchObject({ code: 2, stdout: '' });
  });

  it.runIf(hasTmux)('completes in bash', async () => {
    const env = { PATH: await hobOnPath(), HOB_HOME: home };
    const terminal = await openTmux(['bash', '--norc'], { env });
    terminal.type("PS1='$ '; source <(hob completion bash); clear");
    terminal.press('Enter');
    await terminal.shows(/^\$\s*$/);
    for (const [typed, completed] of [
      ['hob environm', 'hob environments '],
      ['hob new --lang=ty', 'hob new --lang=typescript '],
      ['hob uninstall Res', 'hob uninstall Resize\\ my\\ images '],
      ['hob uninstall "Res', 'hob uninstall "Resize my images" '],
      ['hob run res', 'hob run resize-my-images '],
      ['hob uninstall Resize\\ m', 'hob uninstall Resize\\ my\\ images '],
      ['hob run resize -p mo', 'hob run resize -p mode='],
      ['hob run "Resize my images" -p mode=s', 'hob run "Resize my images" -p mode=slow '],
      ['hob uninstall "Zap', 'hob uninstall "Zap \\$(touch pwned) it\'s \\`id\\`" '],
      ["hob uninstall 'Zap", "hob uninstall 'Zap $(touch pwned) it'\\''s `id`' "],
    ]) {
      terminal.type(`${typed}`);
      terminal.press('Tab');
      terminal.type('#');
      await terminal.shows(`$ ${completed}#`);
      terminal.press('C-u');
    }
  });

  it.runIf(hasTmux && has('zsh', findProgram('zsh') !== null))('completes in zsh', async () => {
    const env = { PATH: await hobOnPath(), HOB_HOME: home };
    const terminal = await openTmux(['zsh', '-f'], { env });
    terminal.type("autoload -U compinit; compinit -u -D; source <(hob completion zsh); PS1='> '; clear");
    terminal.press('Enter');
    await terminal.shows(/^>\s*$/);
    for (const [typed, completed] of [
      ['hob environm', 'hob environments '],
      ['hob new --lang=ty', 'hob new --lang=typescript '],
      ['hob uninstall Res', 'hob uninstall Resize\\ my\\ images '],
      ['hob uninstall "Resize m', 'hob uninstall "Resize my images" '],
      ["hob uninstall 'Zap", "hob uninstall 'Zap $(touch pwned) it'\\''s `id`' "],
    ]) {
      terminal.type(`${typed}`);
      terminal.press('Tab');
      terminal.type('#');
      await terminal.shows(`> ${completed}#`);
      terminal.press('C-u');
    }
  });

  it.runIf(has('fish', findProgram('fish') !== null))('completes in fish', async () => {
    const env = { ...process.env, PATH: await hobOnPath(), HOB_HOME: home, HOME: await tempFolder() };
    const ask = 'hob completion fish | source; for line in $argv; complete -C $line; end';
    const { stdout } = await promisify(execFile)(
      'fish',
      ['-c', ask, 'hob environm', 'hob new --lang ty', 'hob uninstall Res', 'hob uninstall Resize\\ m'],
      { env },
    );
    expect(stdout.split('\n').map((line) => line.split('\t')[0])).toEqual([
      'environments',
      'typescript',
      'Resize my images',
      'Resize my images',
      '',
    ]);
  });
});
