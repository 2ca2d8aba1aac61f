import { describe, expect, it, onTestFinished } from 'vitest';

import type { Bubble, Desktop } from '../../src/notifications/desktop/desktop.ts';
import { MacosDesktop } from '../../src/notifications/desktop/open-desktop.ts';
import {
  removeProgram,
  showProgram,
  WindowsDesktop,
} from '../../src/notifications/desktop/windows-desktop.ts';
import { createLogger } from '../../src/shared/log.ts';
import { type Call, FakeProgram } from '../support/fake-program.ts';
import { isRunning } from '../support/hob.ts';
import { boundMs } from '../support/scale.ts';
import { until } from '../support/until.ts';

interface System {
  readonly system: string;
  readonly name: string;
  readonly Adapter: typeof MacosDesktop | typeof WindowsDesktop;
}

const macos: System = { system: 'macOS', name: 'osascript', Adapter: MacosDesktop };
const windows: System = { system: 'Windows', name: 'powershell.exe', Adapter: WindowsDesktop };
const systems = [macos, windows];

const plain: Bubble = {
  type: 'info',
  title: 'Tidy',
  message: 'done',
  durationMs: 0,
  showClose: false,
  address: null,
};

async function setUp({ name, Adapter }: System, rest: Record<string, string> = {}) {
  const program = await FakeProgram.make(name);
  const log = await createLogger('silent');
  const desktop: Desktop = new Adapter({ environment: { PATH: program.folder, ...rest }, log });
  onTestFinished(() => desktop.close());
  return { program, desktop };
}

const hostile = [
  `"double" 'single' both`,
  '$(touch /tmp/owned) `touch /tmp/owned`',
  '" & (do shell script "touch /tmp/owned") & "',
  "'; Start-Process calc; '",
  `$env:PATH %PATH% $HOME \${env:X}`,
  '</text><action content="x"/> & < > ]]> <![CDATA[ <!-- --> &amp;',
  '中文，全角“引号” 😀👩‍👩‍👧 é',
  '-e',
  '--version',
  '\\ \\n \\" \\\\',
  '@{x=1} #comment ; | > out.txt',
];
const hostileLines = ['one\ntwo\n\n"three"', '-e\ndo shell script "x"', 'a\tb'];

/** Title and message, as the program received them. */
function textsOf({ args, env }: Call): (string | undefined)[] {
  const isToast = env.has('HOB_TOAST_TAG');
  return isToast ? [env.get('HOB_TOAST_TITLE'), env.get('HOB_TOAST_MESSAGE')] : args.slice(-2);
}

/** How often a text occurs in what the program received. */
function countIn(call: Call, text: string): number {
  const all = [...call.args, ...call.args.map(decoded), ...call.env.values(), call.stdin].join('\0');
  return all.split(text).length - 1;
}

const decoded = (argument: string) => Buffer.from(argument, 'base64').toString('utf16le');
const marker = 'q7Zx';

describe.each(systems)('the desktop of $system', (system) => {
  it('receives hostile texts as data, each once, and the program is always the same', async () => {
    const { program, desktop } = await setUp(system);
    await program.become('works');
    const messages = [...hostile, ...hostileLines];
    for (const text of messages)
      expect(await desktop.show({ ...plain, title: `${hostile[0]}`, message: text })).toBe(true);
    for (const text of hostile)
      expect(await desktop.show({ ...plain, title: text, message: null })).toBe(true);
    const calls = await program.calls();
    expect(calls.map(textsOf)).toEqual([
      ...messages.map((text) => [hostile[0], text]),
      ...hostile.map((text) => [text, '']),
    ]);
    const programs = calls.map(({ args }) => (system === macos ? args.slice(0, -2) : args).join('\0'));
    expect(new Set(programs).size).toBe(1);
    expect(calls.every(({ stdin }) => stdin === '')).toBe(true);

    await desktop.show({ ...plain, title: `title ${marker}`, message: `message ${marker}` });
    const last = (await program.calls()).at(-1);
    expect(last && [countIn(last, `title ${marker}`), countIn(last, `message ${marker}`)]).toEqual([1, 1]);
  });

  it('removes invalid characters, cuts long texts, and shows the notification type in the title', async () => {
    const { program, desktop } = await setUp(system);
    await program.become('works');
    await desktop.show({ ...plain, type: 'error', title: 'a\0b\u001b\nc', message: 'x\0\u0007y\r\nz\ud800' });
    await desktop.show({ ...plain, type: 'success', message: '好'.repeat(100_000) });
    const seen = (await program.calls()).map(textsOf);
    expect(seen[0]).toEqual(['✗ ab c', 'xy\nz\ufffd']);
    expect(seen[1]?.[0]).toBe('✓ Tidy');
    expect(Buffer.byteLength(seen[1]?.[1] ?? '')).toBeLessThanOrEqual(4096);
  });

  it('is not called for a while if its program is missing, and again when it exists', async () => {
    const { program, desktop } = await setUp(system);
    expect(desktop.state).toBe('ready');
    const began = performance.now();
    expect(await desktop.show(plain)).toBe(false);
    expect(performance.now() - began).toBeLessThan(boundMs(2500));
    expect(desktop.state).toBe('unreachable');
    await program.become('works');
    expect(await desktop.show(plain)).toBe(false);
    expect(await program.calls()).toEqual([]);
    await until('it is tried again', () => desktop.show(plain));
    expect(desktop.state).toBe('ready');
    expect(await program.calls()).toHaveLength(1);
  });

  it('that fails is not called for a while', async () => {
    const { program, desktop } = await setUp(system);
    await program.become('fails');
    for (let count = 0; count < 5; count++) expect(await desktop.show(plain)).toBe(false);
    expect(await program.calls()).toHaveLength(1);
    expect(desktop.state).toBe('unreachable');
  });

  it('that does not answer is killed after a timeout', async () => {
    const { program, desktop } = await setUp(system);
    await program.become('hangs');
    const began = performance.now();
    expect(await desktop.show(plain)).toBe(false);
    expect(performance.now() - began).toBeLessThan(boundMs(2500));
    const [call] = await program.calls();
    await until('its process is gone', async () => call !== undefined && !(await isRunning(call.pid)));
    expect(await desktop.show(plain)).toBe(false);
    expect(await program.calls()).toHaveLength(1);
  });

  it('that does not answer does not delay the stop of the service', async () => {
    const { program, desktop } = await setUp(system);
    await program.become('hangs');
    const showing = desktop.show(plain);
    const [call] = await until('it was called', async () => {
      const calls = await program.calls();
      return calls.length > 0 ? calls : undefined;
    });
    const began = performance.now();
    await desktop.close();
    expect(await showing).toBe(false);
    expect(performance.now() - began).toBeLessThan(2000);
    await until('its process is gone', async () => call !== undefined && !(await isRunning(call.pid)));
    expect(await desktop.show(plain)).toBe(false);
  });
});

describe('a toast', () => {
  async function toast(bubble: Partial<Bubble>) {
    const { program, desktop } = await setUp(windows);
    await program.become('works');
    expect(await desktop.show({ ...plain, ...bubble })).toBe(true);
    const [call] = await program.calls();
    const of = (name: string) => call?.env.get(`HOB_TOAST_${name}`);
    return { program, call, of };
  }

  it('is removed by its tag after its time', async () => {
    const { program, call, of } = await toast({ durationMs: 300 });
    expect(decoded(call?.args.at(-1) ?? '')).toBe(showProgram);
    const removal = await until('the toast is removed', async () => (await program.calls())[1]);
    expect(decoded(removal.args.at(-1) ?? '')).toBe(removeProgram);
    expect(removal.env.get('HOB_TOAST_TAG')).toBe(of('TAG'));
    expect(of('TAG')).toMatch(/^[0-9a-f]{12}$/);
  });

  it.each([
    [{ durationMs: 6999 }, { DURATION: 'short', STAYS: '', CLOSE: '' }],
    [{ durationMs: 7000 }, { DURATION: 'long', STAYS: '', CLOSE: '' }],
    [
      { durationMs: 1e300, showClose: true },
      { DURATION: 'long', STAYS: '', CLOSE: 'yes' },
    ],
    [{ durationMs: 0 }, { DURATION: 'long', STAYS: 'yes', CLOSE: 'yes' }],
    [{ address: 'http://127.0.0.1:9527/runs/x' }, { ADDRESS: 'http://127.0.0.1:9527/runs/x' }],
    [{ address: 'file:///C:/Windows/System32/calc.exe' }, { ADDRESS: '' }],
    [{ address: null }, { ADDRESS: '' }],
    [{ message: 'a\uffffb\ufffec' }, { MESSAGE: 'a\ufffdb\ufffdc' }],
  ])('of %j is shown with %j', async (bubble, expected) => {
    const { of } = await toast(bubble);
    for (const [name, value] of Object.entries(expected)) expect([name, of(name)]).toEqual([name, value]);
  });

  it('is shown by the PowerShell of the system, not by one in the current folder', async () => {
    const path = 'C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe';
    const { program, desktop } = await setUp({ ...windows, name: path }, { SystemRoot: 'C:\\Windows' });
    await program.become('works');
    expect(await desktop.show(plain)).toBe(true);
    expect(await program.calls()).toHaveLength(1);
  });
});
