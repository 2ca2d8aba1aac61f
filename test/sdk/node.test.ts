import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { listenTo } from '../support/event-client.ts';
import { type Answer, type Hob, projectRoot, tempFolder } from '../support/hob.ts';
import { findProgram, has } from '../support/needs.ts';
import { openSdkService, runAlone, type SdkService } from '../support/sdk-scene.ts';
import { until } from '../support/until.ts';
import { warmOf } from '../support/warm-service.ts';

const sdkFolder = join(projectRoot, 'sdk', 'node');
const tables = `
[[service.inputs]]
name = "图片"
type = "list"
[[service.params]]
name = "quality"
type = "int"
default = 85
`;
const shown = `run.ok({ msg: '好', inputs: run.inputs, quality: run.params.quality, dir: run.scriptDir, id: run.runId });\n`;

/** The answer of the first warm run. */
async function firstWarm(hob: Hob, id: string, request: Record<string, unknown>): Promise<Answer> {
  return until('a run is warm', async () => {
    await until('an interpreter waits', async () =>
      (await warmOf(hob)).interpreters.some(({ waiting }) => waiting > 0),
    );
    const { hits } = await warmOf(hob);
    const answer = await hob.run(id, request);
    return (await warmOf(hob)).hits > hits && answer;
  });
}

describe('the module hob', () => {
  let service: SdkService;
  beforeAll(async () => {
    service = await openSdkService();
  });
  afterAll(() => service.close());

  const resultOf = async (name: string, text: string, rest: Record<string, unknown> = {}) => {
    const entry: [string, string] = ['main.mjs', `import hob from 'hob';\n${text}`];
    const id = await service.add(name, { language: 'node.js', entry, tables });
    return (await service.hob.run(id, rest)).body;
  };

  it.skipIf(!has('bun', findProgram('bun') !== null))('is available in bun', async () => {
    const { hob, add } = service;
    const entry: [string, string] = ['main.ts', `import hob from 'hob';\nconst run = hob.run();\n${shown}`];
    const { body } = await hob.run(await add('bun', { language: 'bun', entry, tables }), { data: ['甲'] });
    expect(body).toMatchObject({ success: true, result: { inputs: ['甲'], quality: 85 } });
  });

  it('does not replace a module of the same name in the script', async () => {
    const { hob, add, scripts } = service;
    for (const [file, text] of [
      ['main.mjs', `import { whose } from 'hob';\nconsole.log(whose);\n`],
      ['main.cjs', `console.log(require('hob').whose);\n`],
    ] as const) {
      const folder = join(scripts, file, 'node_modules', 'hob');
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, 'index.js'), `exports.whose = 'its own';\n`);
      const id = await add(file, { language: 'node.js', entry: [file, text] });
      expect((await hob.run(id)).body).toMatchObject({ stdout: 'its own\n', stderr: '' });
    }
  });

  it('fails with a code and values, and ends the script immediately', async () => {
    const answer = await resultOf(
      'fails',
      `setInterval(() => {}, 1000);\nhob.run().fail('不行', { code: 42, where: '/a' });\nconsole.log('not reached');\n`,
    );
    expect(answer).toMatchObject({ success: false, exit_code: 42, stdout: '', message: '不行' });
    expect(answer.result).toEqual({ code: 42, msg: '不行', where: '/a' });
  });

  it('loses no output when it ends the script immediately', async () => {
    const text = "hob.run(); process.stdout.write('x'.repeat(3_000_000)); hob.run().fail('late');";
    const answer = await resultOf('prints', text);
    expect(answer.result).toEqual({ code: 1, msg: 'late' });
    expect(String(answer.stdout)).toHaveLength(3_000_000);
  });

  it('fails if its function waits for something that never happens', async () => {
    const answer = await resultOf('waits', 'hob.main(() => new Promise(() => {}));');
    expect(answer).toMatchObject({
      exit_code: 1,
      result: { code: 1, msg: expect.stringContaining('never') },
    });
  });

  it('distinguishes wrong arguments from a Hob that does not answer, and hides the run token in the address', async () => {
    const answer = await resultOf(
      'wrong',
      `const run = hob.run();
const said = [];
await run.link('x', { params: { big: 10n } }).catch((error) => said.push(error.name));
run.apiBase = 'http://127.0.0.1:1/r/secret';
await run.notify('x').catch((error) => said.push(error.message));
run.ok({ said });`,
    );
    expect(answer.result).toMatchObject({
      said: ['TypeError', expect.stringMatching(/^Hob does not respond at http:\/\/127\.0\.0\.1:1: /)],
    });
  });

  it('links other scripts, and reports their failures and refusals', async () => {
    const { child, failing, hidden } = service;
    const answer = await resultOf(
      'links',
      `
const run = hob.run();
const child = await run.link('${child}', { data: ['a', 'b c'], params: { quality: 1 } });
const kinds = {};
for (const [name, id] of Object.entries({ failing: '${failing}', hidden: '${hidden}', unknown: 'x' })) {
  const { ok, status, exitCode, result, message } = await run.link(id, { check: false });
  const error = await run.link(id).catch((error) => error);
  kinds[name] = [ok, status, exitCode, result, error instanceof hob.LinkError && error.message === message];
}
run.ok({ data: child.result.given.data, params: child.result.given.params, said: child.stdout, kinds });
`,
    );
    expect(answer.result).toMatchObject({
      data: { 文件: ['a', 'b c'] },
      params: { quality: 1 },
      said: '子 says\n',
      kinds: {
        failing: [false, 200, 3, { code: 7, msg: '坏了' }, true],
        hidden: [false, 403, -1, { code: -1, msg: expect.stringContaining('hidden') }, true],
        unknown: [false, 404, -1, { code: -1, msg: '脚本不存在: x' }, true],
      },
    });
  });

  it('notifies, finds models, and says how to get missing ones', async () => {
    const { hob, modelFolder } = service;
    const answer = await resultOf(
      'asks',
      `
const run = hob.run();
await run.notify('完成 了', { type: 'success', duration: 1 });
const refusals = [run.notify('x', { type: 'loud' }), run.modelPath('owner/missing')];
const refused = await Promise.all(refusals.map((refusal) => refusal.catch((error) => \`\${error.name} \${error.message}\`)));
run.ok({ path: await run.modelPath('owner/name'), refused });
`,
    );
    expect(answer.result).toMatchObject({
      path: modelFolder,
      refused: [
        expect.stringMatching(/^HobError .*notify_type/),
        expect.stringMatching(/^ModelError [\s\S]*hob model pull owner\/missing$/),
      ],
    });
    const { items } = (await hob.get('/api/notifications')).body;
    expect(items).toContainEqual(expect.objectContaining({ notify_type: 'success', message: '完成 了' }));
  });

  it('reports progress: a tight loop costs nothing, the last report arrives, and a missing Hob is no failure', async () => {
    const { hob } = service;
    const client = await listenTo(`${hob.url}/api/events`);
    const answer = await resultOf(
      'progress',
      `
const run = hob.run();
const began = performance.now();
for (let step = 0; step < 20000; step++) run.progress(step / 20000, \`第 \${step} 步\`);
run.ok({ took: performance.now() - began });
run.apiBase = 'http://127.0.0.1:1';
setTimeout(() => run.progress(1), 300);
`,
    );
    expect(answer).toMatchObject({ success: true, stderr: '' });
    expect(Object(answer.result).took).toBeLessThan(1000);
    const isLast = ({ type, data }: { type: string; data: Record<string, unknown> }) =>
      type === 'run.progress' && data.message === '第 19999 步';
    await client.until('the last report is there', ({ events }) => events.some(isLast));
  });

  it.each([
    ['nothing', '() => {}', { code: 0, msg: 'ok' }, 0],
    ['a text', 'async () => "做完"', { code: 0, msg: '做完' }, 0],
    ['values', '({ inputs, params }) => ({ inputs, params })', { code: 0, msg: 'ok', inputs: ['a'] }, 0],
    ['a code', '() => ({ code: 9, msg: "no" })', { code: 9, msg: 'no' }, 9],
    ['its own envelope', '({ run }) => run.ok({ a: 1 })', { code: 0, msg: 'ok', a: 1 }, 0],
    [
      'an error',
      'async () => { throw new RangeError("坏 值"); }',
      { code: 1, msg: 'RangeError: 坏 值', traceback: expect.stringContaining('main.mjs') },
      1,
    ],
    [
      'a number',
      '() => 5',
      { code: 1, msg: expect.stringContaining('must return an object, a string or nothing') },
      1,
    ],
  ])('turns %s into an envelope', async (name, work, envelope, exitCode) => {
    const answer = await resultOf(`returns ${name}`, `await hob.main(${work});\n`, { data: ['a'] });
    expect(answer).toMatchObject({ result: envelope, exit_code: exitCode });
  });

  it('works without Hob: inputs and params from the command line, the envelope on stdout', async () => {
    const folder = join(await tempFolder(), '我的 script');
    await mkdir(join(folder, 'node_modules'), { recursive: true });
    await symlink(join(sdkFolder, 'hob'), join(folder, 'node_modules', 'hob'));
    await writeFile(
      join(folder, 'main.mjs'),
      `import { main } from 'hob';
await main(async ({ inputs, params, run }) => {
  await run.notify('news', { type: 'success' });
  run.progress(0.5, 'halfway');
  if (params.ask) return { path: await run.modelPath('owner/name') };
  return { inputs, params };
});
`,
    );
    const start = (words: string[], env = {}) =>
      runAlone([process.execPath, 'main.mjs', ...words], { cwd: folder, env });
    const { code, stdout, stderr } = await start([
      '甲 乙.png',
      '--quality',
      '3',
      '--my-mode=fast',
      '--force',
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '[success] news\n50% halfway\n' });
    expect(JSON.parse(stdout)).toEqual({
      code: 0,
      msg: 'ok',
      inputs: ['甲 乙.png'],
      params: { quality: 3, my_mode: 'fast', force: true },
    });
    const alone = await start(['--ask']);
    expect(alone.code).toBe(1);
    expect(JSON.parse(alone.stdout).msg).toContain('set HOB_API_BASE');
    const asked = await start(['--ask'], { HOB_API_BASE: service.hob.url });
    expect(JSON.parse(asked.stdout)).toEqual({ code: 0, msg: 'ok', path: service.modelFolder });
  });

  it('has types that match its behaviour', async () => {
    const folder = await tempFolder();
    await mkdir(join(folder, 'node_modules'));
    await symlink(join(sdkFolder, 'hob'), join(folder, 'node_modules', 'hob'));
    const use = `
const own: hob.Run = hob.run();
own.progress(0.4, '…');
export async function work(): Promise<string> {
  const { ok, result } = await own.link('x', { data: ['a'], params: { a: 1 }, check: false });
  if (!ok) own.fail(result.msg, { code: 3 });
  return own.modelPath('a/b');
}
// @ts-expect-error: only three types exist.
void own.notify('x', { type: 'loud' });
void hob.main(({ inputs }) => ({ inputs }));
`;
    await writeFile(join(folder, 'a.mts'), `import * as hob from 'hob';\n${use}`);
    await writeFile(join(folder, 'b.cts'), `import hob = require('hob');\n${use}`);
    await writeFile(join(folder, 'c.mts'), `import hob from 'hob';\nhob.run().ok({ a: 1 });\n`);
    const compiler = join(projectRoot, 'node_modules', 'typescript', 'bin', 'tsc');
    const options = ['--strict', '--noEmit', '--module', 'nodenext', '--types', ''];
    const files = ['a.mts', 'b.cts', 'c.mts'];
    const { stdout } = await promisify(execFile)(process.execPath, [compiler, ...options, ...files], {
      cwd: folder,
    }).catch((error: { stdout: string }) => error);
    expect(stdout).toBe('');
  });

  // Last, because by now interpreters for most of them are waiting.
  it.each([
    ['a module', 'node.js', 'main.mjs', `import * as hob from 'hob';\nconst run = hob.run();\n${shown}`],
    ['CommonJS', 'node.js', 'main.cjs', `const hob = require('hob');\nconst run = hob.run();\n${shown}`],
    [
      'CommonJS that imports',
      'node.js',
      'main.js',
      `import('hob').then(({ run: begin }) => {\nconst run = begin();\n${shown}});`,
    ],
    [
      'TypeScript',
      'typescript',
      'main.ts',
      `import { type Run, run as begin } from 'hob';\nconst run: Run = begin();\n${shown}`,
    ],
    [
      'TypeScript that is a module',
      'typescript',
      'main.mts',
      `import hob from 'hob';\nconst run = hob.run();\n${shown}`,
    ],
  ])('is available in %s, warm as cold', async (name, language, file, text) => {
    const { hob, add, scripts } = service;
    const id = await add(`我的 ${name}`, { language, entry: [file, text], tables });
    const request = { data: { 图片: ['/tmp/甲 乙.png'] }, params: { quality: 3 } };
    const cold = await hob.run(id, request);
    for (const { headers, body } of [cold, await firstWarm(hob, id, request)]) {
      expect(body).toMatchObject({ success: true, message: '好', stdout: '', stderr: '' });
      expect(body.result).toEqual({
        code: 0,
        msg: '好',
        inputs: ['/tmp/甲 乙.png'],
        quality: 3,
        dir: join(scripts, `我的 ${name}`),
        id: headers.get('x-hob-run-id'),
      });
    }
  });
});
