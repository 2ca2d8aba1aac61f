import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { expect, it } from 'vitest';
import { type Hob, projectRoot, runCli, startHob, tempFolder } from '../support/hob.ts';
import { bash, writeScript } from '../support/scripts.ts';

async function startWithScript(settings?: string): Promise<{ hob: Hob; id: string }> {
  const scripts = await tempFolder();
  const id = await writeScript(scripts, 'echo', {
    entry: bash('cat "$1" > "$(dirname "$0")/seen"; echo \'{"code":0,"msg":"done"}\' > "$output"'),
    tables: '[[service.params]]\nname = "quality"\ntype = "int"\n',
  });
  return { hob: await startHob({ scripts: [scripts], ...(settings !== undefined && { settings }) }), id };
}

const english = { LC_ALL: 'en_US.UTF-8' };
const api = (hob: Hob, ...args: string[]) => runCli(['api', '--home', hob.home, ...args], english).ended;

it('hob api sends fields as JSON and prints the body byte for byte', async () => {
  const { hob, id } = await startWithScript();
  const health = await api(hob, 'health');
  expect(health).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(health.stdout)).toMatchObject({ interface: '0.3.0' });

  const ran = await api(
    hob,
    'execute',
    '-f',
    `script_id=${id}`,
    '-F',
    'sync=true',
    '-F',
    'params[quality]=85',
  );
  expect(ran.code).toBe(0);
  expect(JSON.parse(ran.stdout)).toMatchObject({ success: true, result: { msg: 'done' } });
  const runs = await api(hob, 'GET', '/api/runs', '-f', 'state=succeeded', '-F', 'limit=1');
  const [run] = JSON.parse(runs.stdout).items;
  expect(run).toMatchObject({ script_id: id, params: { quality: 85 } });
  expect(await api(hob, 'get', `runs/${run.run_id}/stdout`)).toMatchObject({ code: 0, stdout: '' });
  expect(JSON.parse((await api(hob, 'DELETE', `runs/${run.run_id}`)).stdout)).toMatchObject({
    status: 'success',
  });
});

it('hob api fails if the status is 400 or above, and shows it with -i', async () => {
  const { hob } = await startWithScript();
  const { code, stdout, stderr } = await api(hob, '-i', 'runs/none', '-H', 'Accept-Language: zh');
  expect([code, stderr]).toEqual([1, 'hob: HTTP 404 run-unknown\n']);
  const [head = '', body = ''] = stdout.split('\n\n');
  expect(head).toMatch(/^HTTP\/1\.1 404 Not Found\n/);
  expect(head).toContain('\nx-hob-error: run-unknown');
  expect(JSON.parse(body).message).toMatch(/\p{Script=Han}/u);

  expect(await api(hob, 'FETCH', 'runs')).toMatchObject({ code: 2, stdout: '' });
  expect(await api(hob, 'execute', '-f', 'none')).toMatchObject({ code: 2, stdout: '' });
  expect(await runCli(['api', '--home', await tempFolder(), 'health'], english).ended).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Hob is not running'),
  });
});

it('hob api sends a file or stdin as the body, and finds the token', async () => {
  const { hob, id } = await startWithScript('token = true\n');
  const file = join(await tempFolder(), 'body.json');
  await writeFile(file, JSON.stringify({ script_id: id, sync: true }));
  const ran = await api(hob, 'POST', '/api/execute', '--input', file);
  expect(JSON.parse(ran.stdout)).toMatchObject({ success: true });

  const piped = spawn(
    process.execPath,
    [join(projectRoot, 'bin', 'hob.js'), 'api', '--home', hob.home, 'execute', '--input', '-'],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  piped.stdin.end(JSON.stringify({ script_id: id, sync: true }));
  expect(JSON.parse(await text(piped.stdout))).toMatchObject({ success: true });
  const refused = await api(hob, 'scripts', '-H', 'Authorization: Bearer wrong');
  expect([refused.code, refused.stderr]).toEqual([1, 'hob: HTTP 401 door-token\n']);
});
