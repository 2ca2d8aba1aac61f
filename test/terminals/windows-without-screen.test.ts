import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { projectRoot, startHob, tempFolder } from '../support/hob.ts';
import { findProgram, has } from '../support/needs.ts';
import { bash, type ScriptOptions, writeScript } from '../support/scripts.ts';
import { ask, expectNothingLeft, outputOf } from '../support/window-runs.ts';

const isReady = has('python3 for an emulator', findProgram('python3') !== null);
const emulator = join(projectRoot, 'test', 'support', 'emulator.py');

/** Runs a script in the window of an emulator with the given options. */
async function runAt(odd: readonly string[], script: string, options: ScriptOptions = {}) {
  const scripts = await tempFolder();
  const id = await writeScript(scripts, 'odd', { entry: bash(script), ...options });
  const hob = await startHob({
    scripts: [scripts],
    // No such display exists, but the emulator does not use it.
    env: { DISPLAY: ':none' },
    settings: `terminal_command = ${JSON.stringify(['python3', emulator, ...odd, '--'])}\nterminal_hold = "never"\n`,
  });
  const runId = await ask(hob, id);
  const record = await hob.ended(runId);
  const stderr = await (await fetch(`${hob.url}/api/runs/${runId}/stderr`)).text();
  await expectNothingLeft(runId);
  return { record, stdout: await outputOf(hob, runId), stderr };
}

describe.runIf(isReady)('a window', () => {
  // `ready` comes last. Typed text is echoed immediately, before later output of the script.
  const asking = 'echo err >&2; echo ready; read -r word; echo "got $word"; exit 4';

  it('is written to through its own descriptor, even if that is not the one it is read from', async () => {
    const { record, stdout } = await runAt(['read-only', 'type=hello\\n'], asking);
    expect(record).toMatchObject({ end_cause: 'exit', exit_code: 4 });
    expect(stdout).toBe('err\nready\nhello\ngot hello\n');
  });

  it('leaves typed text to the script if that has no pseudo-terminal', async () => {
    const { record, stdout, stderr } = await runAt(['without-pty', 'type=hello\\n'], asking);
    expect(record).toMatchObject({ end_cause: 'exit', exit_code: 4 });
    expect([stdout, stderr]).toEqual(['ready\ngot hello\n', 'err\n']);
    expect(record.result).toMatchObject({ msg: 'The script failed with exit code 4\nerr' });
  });

  it('removes no variable from the script, even if its name is unusual', async () => {
    const env = `env = { "a.b" = "1", "BASH_FUNC_greet%%" = "() { echo hello; }", PLAIN = "2" }`;
    const { stdout } = await runAt([], 'greet; env | grep -E "^(a.b|PLAIN)=" | sort', { runtime: env });
    expect(stdout).toBe('hello\nPLAIN=2\na.b=1\n');
  });

  it('does not hide that a script could not start', async () => {
    const entry: [string, string] = ['main', '#!/nowhere/to/be/found\n'];
    const { record } = await runAt([], '', { language: 'exe', entry });
    expect(record).toMatchObject({ end_cause: 'spawn-failed', exit_code: -1 });
  });

  it.each([
    [{ end_cause: 'signal', exit_code: 130 }, ''],
    [{ end_cause: 'exit', exit_code: 9 }, 'trap "exit 9" INT; '],
  ])('leaves Ctrl-C to the script too: %o', async (end, trap) => {
    // A child that is just starting `sleep` may miss the key, so the shell must get another chance soon.
    const script = `${trap}echo ready; while :; do sleep 0.1; done`;
    const { record } = await runAt(['without-pty', 'type=\\x03'], script);
    expect(record).toMatchObject(end);
  });
});
