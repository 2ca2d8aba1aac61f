import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { parse } from 'smol-toml';
import Value from 'typebox/value';
import { describe, expect, it } from 'vitest';

import { exampleNames, examplesFolder } from '../support/examples.ts';
import { type Hob, projectRoot, startHob, tempFolder } from '../support/hob.ts';
import { bash, writeScript } from '../support/scripts.ts';
import { shareService } from '../support/shared-service.ts';
import { until } from '../support/until.ts';

const ok = bash('echo \'{"code":0,"msg":"ran"}\' > "$output"');

async function problemsOf(
  hob: Hob,
): Promise<{ severity: string; file: string; line: number | null; message: string; advice: string }[]> {
  return JSON.parse(JSON.stringify((await hob.get('/api/scripts')).body.problems));
}

describe('manifests of existing scripts', () => {
  const service = shareService();
  const manifest = (root: string) => `[${root}.info]
id = "ID"
name = "整理 图片"

[${root}.runtime]
language = "bash"
entry = "main.sh"
`;

  it.each([
    ['another root table', 'script.toml', manifest('acme')],
    ['another file name', 'MyTool.toml', manifest('service')],
    ['a quoted Chinese root table', '脚本.toml', manifest('"小工具"')],
    ['a byte order mark', 'script.toml', `\uFEFF${manifest('service')}`],
    ['Windows line ends', 'script.toml', manifest('service').replaceAll('\n', '\r\n')],
    [
      'unknown keys and tables',
      'script.toml',
      `${manifest('service')}colour = "red"\n[service.extra]\nx = 1\n[service.node]\nenabled = true\nmore = 2\n`,
    ],
    ['a pyproject.toml beside it', 'tool.toml', manifest('tool')],
    [
      'older words',
      'script.toml',
      `${manifest('service')}terminal = "hidden"\n[[service.inputs]]\nname = "p"\ntype = "paths"\n[[service.params]]\nname = "q"\ntype = "string"\n`,
    ],
  ])('with %s load and run', async (what, file, text) => {
    const draft = await tempFolder();
    const id = randomUUID();
    await writeFile(join(draft, 'main.sh'), ok[1]);
    await writeFile(join(draft, file), text.replace('ID', id));
    if (what.includes('pyproject'))
      await writeFile(join(draft, 'pyproject.toml'), '[project]\nname = "x"\n[tool.info]\nid = 1\n');
    const folder = join(service.scripts, `my 图片 folder with ${what}`);
    await rename(draft, folder);
    const { hob } = service;
    await until('it is known', async () => (await hob.get(`/api/scripts/${id}`)).status === 200);
    expect((await hob.run(id)).body).toMatchObject({ success: true, message: 'ran' });
    expect((await hob.get(`/api/scripts/${id}`)).body).toMatchObject({ name: '整理 图片', folder });
    expect((await problemsOf(hob)).filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  it('with unknown keys get notes with line numbers', async () => {
    const scripts = await tempFolder();
    await writeScript(scripts, 'noted', { runtime: 'colour = "red"' });
    const hob = await startHob({ scripts: [scripts] });
    expect(await problemsOf(hob)).toEqual([
      {
        severity: 'note',
        file: join(scripts, 'noted', 'script.toml'),
        line: 9,
        message: expect.stringContaining('colour'),
        advice: expect.any(String),
      },
    ]);
  });

  it('that are broken never hide the others, and each problem has its place and a fix', async () => {
    const scripts = await tempFolder();
    const good = await writeScript(scripts, 'good', { entry: ok });
    await writeScript(scripts, 'bad-syntax', { runtime: 'timeout = = 3' });
    await writeScript(scripts, 'bad-values', { runtime: 'timeout = "long"\nconcurrency = 0' });
    await writeScript(scripts, 'outside', { entry: ['main.sh', ''], id: 'not-a-uuid' });
    const hob = await startHob({ scripts: [scripts] });
    expect((await hob.run(good)).body.success).toBe(true);
    const problems = await problemsOf(hob);
    const of = (name: string) => problems.filter(({ file }) => file.includes(`/${name}/`));
    expect(of('bad-syntax')).toEqual([
      expect.objectContaining({ severity: 'error', line: 9, message: expect.stringContaining('TOML') }),
    ]);
    expect(of('bad-values').map(({ line }) => line)).toEqual([9, 10]);
    expect(of('outside')).toEqual([
      expect.objectContaining({ line: 3, message: expect.stringContaining('UUID') }),
    ]);
    expect(problems.every(({ advice }) => advice.length > 0)).toBe(true);
  });

  it('cannot refer to files outside their folder', async () => {
    const scripts = await tempFolder();
    const outside = await tempFolder();
    await writeFile(join(outside, 'evil.sh'), 'echo evil');
    const linked = await writeScript(scripts, 'linked', { entry: ['main.sh', ''] });
    await rm(join(scripts, 'linked', 'main.sh'));
    await symlink(join(outside, 'evil.sh'), join(scripts, 'linked', 'main.sh'));
    const dotted = '6f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11';
    await mkdir(join(scripts, 'dotted'));
    await writeFile(
      join(scripts, 'dotted', 'script.toml'),
      `[s.info]\nid = "${dotted}"\nname = "x"\n[s.runtime]\nlanguage = "sh"\nentry = "../linked/main.sh"\n`,
    );
    const hob = await startHob({ scripts: [scripts] });
    for (const id of [linked, dotted]) {
      const answer = await hob.run(id);
      expect([answer.status, answer.headers.get('x-hob-error')]).toEqual([409, 'script-unusable']);
    }
  });
});

describe('a change on disk', () => {
  /** Polls until the answer is as expected. How long that takes depends on the machine. */
  async function eventually(
    hob: Hob,
    id: string,
    expected: { status: number; message?: string },
  ): Promise<void> {
    const deadline = performance.now() + 10_000;
    for (;;) {
      const { status, body } = await hob.run(id);
      if (status === expected.status && (expected.message === undefined || body.message === expected.message))
        return;
      if (performance.now() > deadline) expect({ status, body }).toMatchObject(expected);
    }
  }

  it('is noticed without a restart: added, changed, broken, fixed, renamed, removed', async () => {
    const scripts = await tempFolder();
    const hob = await startHob({ scripts: [scripts] });
    const id = await writeScript(scripts, 'script', { entry: ok });
    await eventually(hob, id, { status: 200, message: 'ran' });

    await writeScript(scripts, 'script', {
      id,
      entry: ['other.sh', bash('echo \'{"code":0,"msg":"changed"}\' > "$output"')[1]],
    });
    await eventually(hob, id, { status: 200, message: 'changed' });

    await writeScript(scripts, 'script', { id, runtime: 'timeout = "x"' });
    await eventually(hob, id, { status: 409 });

    await writeScript(scripts, 'script', { id, entry: ok });
    await eventually(hob, id, { status: 200, message: 'ran' });

    await rename(join(scripts, 'script'), join(scripts, '新 名字'));
    await eventually(hob, id, { status: 200, message: 'ran' });

    await rm(join(scripts, '新 名字'), { recursive: true });
    await eventually(hob, id, { status: 404 });
  });

  it('is noticed two levels down, in the home, and in a folder that did not exist at the start', async () => {
    const parent = await tempFolder();
    const later = join(parent, 'later');
    const hob = await startHob({ scripts: [later] });
    const deep = await writeScript(later, join('group', 'deep'), { entry: ok });
    await eventually(hob, deep, { status: 200, message: 'ran' });
    const own = await writeScript(join(hob.home, 'scripts'), 'own', { entry: ok });
    await eventually(hob, own, { status: 200, message: 'ran' });
  });

  it('that gives two scripts one id stops both until it is resolved', async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'first', { entry: ok });
    const hob = await startHob({ scripts: [scripts] });
    expect((await hob.run(id)).status).toBe(200);
    await writeScript(scripts, 'second', { id, entry: ok });
    await eventually(hob, id, { status: 409 });
    await rm(join(scripts, 'first'), { recursive: true });
    await eventually(hob, id, { status: 200, message: 'ran' });
  });

  it('does not disturb an active run', async () => {
    const scripts = await tempFolder();
    const go = join(await tempFolder(), 'go');
    const id = await writeScript(scripts, 'script', {
      entry: bash(
        `while [ -d "$(dirname "${go}")" ] && [ ! -e "${go}" ]; do sleep 0.02; done; echo '{"code":0,"msg":"old"}' > "$output"`,
      ),
    });
    const hob = await startHob({ scripts: [scripts] });
    const { body } = await hob.post('/api/execute', { script_id: id });
    await writeScript(scripts, 'script', { id, runtime: 'timeout = "broken"', entry: ['other.sh', ''] });
    while ((await hob.get(`/api/scripts/${id}`)).status === 200);
    await writeFile(go, '');
    expect(await hob.ended(String(body.run_id))).toMatchObject({
      state: 'succeeded',
      result: { msg: 'old' },
    });
  });
});

it('the service serves the manifest schema for editors, and the schema accepts the examples', async () => {
  const hob = await startHob();
  const schema = (await hob.get('/api/script.schema.json')).body;
  expect(schema).toEqual(
    JSON.parse(await readFile(join(projectRoot, 'schema', 'script.schema.json'), 'utf8')),
  );
  const examples = await exampleNames();
  expect(examples).toHaveLength(10);
  for (const example of examples) {
    const manifest = parse(await readFile(join(examplesFolder, example, 'script.toml'), 'utf8'));
    expect([example, Value.Errors(schema, manifest)]).toEqual([example, []]);
  }
  expect(Value.Check(schema, { service: { info: { name: 'x' }, runtime: {} } })).toBe(false);
});
