import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { listenTo, type SeenEvent } from '../support/event-client.ts';
import { runCli, type StartOptions, startHob, tempFolder } from '../support/hob.ts';
import { downloadsHere, endOf, requestFor } from '../support/hub/download-here.ts';
import { someFiles } from '../support/hub/stored-file.ts';
import { commit, TestHub } from '../support/hub/test-hub.ts';
import { writeScript } from '../support/scripts.ts';
import { until } from '../support/until.ts';

const large = 'model.safetensors';

/** A real service that gets its models from the test hub, and the command that uses it. */
async function open({ args = [], files = '' }: { args?: string[]; files?: string } = {}) {
  const hub = await TestHub.start(someFiles());
  const [scripts, cache] = [await tempFolder(), await tempFolder()];
  await writeScript(scripts, 'needy', {
    name: '图片放大',
    tables: `[[service.models]]\nsource = "huggingface"\nrepo_id = "ada/tiny"\n${files}`,
  });
  const options: StartOptions = {
    scripts: [scripts],
    args,
    env: { HF_ENDPOINT: hub.url, HF_HOME: cache, HF_HUB_CACHE: '', MODELSCOPE_CACHE: cache },
  };
  const hob = await startHob(options);
  const model = (...words: string[]) => runCli(['model', ...words, '--home', hob.home]);
  const folder = join(cache, 'hub', 'models--ada--tiny', 'snapshots', commit);
  /** Waits until the first bytes of the large file have been sent. */
  const underWay = () => until('the large file arrives', async () => hub.bytesSent(large) > 0);
  return { hub, hob, model, folder, options, underWay };
}

const statesOf = (events: readonly SeenEvent[]) => events.map(({ data }) => data.state);

describe('a model that a script declares', () => {
  it('is downloaded by one command with progress, found, listed and removed', async () => {
    const { hub, hob, model, folder } = await open({ files: 'files = ["*.json", "*.onnx"]\n' });
    const client = await listenTo(`${hob.url}/api/events?types=model.progress`);
    expect((await model('path', 'ada/tiny').ended).code).toBe(1);
    expect((await model('list').ended).stdout).toMatch(/^ada\/tiny +- +- +missing +图片放大$/m);

    const pulled = await model('pull', '--for', '图片放大').ended;
    expect(pulled).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Downloaded ada\/tiny to .*\(1\.0 MB in 2 files, \d+:\d\d\)\n$/),
    });
    expect(pulled.stdout).toContain(folder);
    expect(hub.bytesSent(large)).toBe(0);
    expect(hub.bytesSent('onnx/model.onnx')).toBe(1_000_000);

    await client.until('its end was published', ({ events }) => statesOf(events).includes('done'));
    const end = client.events.at(-1)?.data;
    const { items } = (await hob.get('/api/models/downloads')).body;
    expect(items).toEqual([expect.objectContaining({ repo_id: 'ada/tiny', state: 'done', folder })]);
    expect(end).toEqual({ ...(Array.isArray(items) ? items[0] : {}), at: expect.stringMatching(/^\d{4}-/) });
    expect(end).toMatchObject({ bytes_done: end?.bytes_total, files_done: 2, files_total: 2 });
    // Only the newest event of a download is kept.
    const late = await listenTo(`${hob.url}/api/events?types=model.progress`, '0');
    await late.until('it has all', ({ events }) => statesOf(events).includes('done'));
    expect(late.events).toEqual([client.events.at(-1)]);

    expect(await model('path', 'ada/tiny').ended).toEqual({ code: 0, stdout: `${folder}\n`, stderr: '' });
    expect((await model('list').ended).stdout).toMatch(
      /^ada\/tiny +huggingface +1\.\d MB +complete +图片放大$/m,
    );
    expect((await model('pull', '--for', '图片放大').ended).stderr).toBe(
      'All models of 图片放大 are downloaded.\n',
    );
    expect(await model('rm', 'ada/tiny', '--yes').ended).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/ and freed 1\.\d MB\.\n$/),
    });
    expect((await model('path', 'ada/tiny').ended).code).toBe(1);
  });

  it('is stopped by Ctrl-C, and the same command resumes it', async () => {
    const { hub, hob, model, folder, underWay } = await open({ args: ['--token'] });
    hub.fail(large, { kind: 'stall', afterBytes: 2_000_000 });
    const first = model('pull', 'ada/tiny');
    await underWay();
    await until('much of it is here', async () => /: 7\d%/.test(first.output.stderr));
    first.child.kill('SIGINT');
    const stopped = await first.ended;
    expect(stopped).toMatchObject({ code: 130, stdout: '' });
    expect(stopped.stderr).toContain('The downloaded part is kept. To resume, run the same command again.');

    const again = await model('pull', 'ada/tiny', '--json').ended;
    expect(again.code).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({ state: 'done', folder, files_total: 5 });
    expect(hub.bytesSent(large)).toBeLessThan(3_500_000);
    expect((await hob.get('/api/models/downloads')).status).toBe(401);
  });

  it('is one download, however many clients request it', async () => {
    const { hub, model, underWay } = await open();
    hub.fail(large, { kind: 'slow', bytes: 300_000, everyMs: 50 });
    const first = model('pull', 'ada/tiny');
    await underWay();
    const others = [model('pull', 'ada/tiny'), model('pull', 'ada/tiny', '--files', '*.json')];
    for (const { ended } of [first, ...others]) expect((await ended).code).toBe(0);
    expect(hub.bytesSent(large)).toBe(3_000_000);
  });

  it('is partial if a request names some files, and the output says so', async () => {
    const { hub, model } = await open();
    const { code, stdout, stderr } = await model('pull', 'ada/tiny', '--files', '*.json', 'README.md').ended;
    expect(code).toBe(0);
    expect(stdout).toContain('in 2 files');
    expect(stderr).toContain('Note: these are only some files of ada/tiny.');
    expect(hub.bytesSent(large)).toBe(0);
    expect((await model('path', 'ada/tiny').ended).code).toBe(1);
    expect((await model('list').ended).stdout).toMatch(/^ada\/tiny +huggingface .* partial /m);
    const whole = await model('pull', 'ada/tiny').ended;
    expect(whole.code).toBe(0);
    expect(whole.stderr).not.toContain('Note');
    expect((await model('path', 'ada/tiny').ended).code).toBe(0);
  });

  it('that the hub does not have is reported with advice', async () => {
    const { model } = await open();
    const { code, stdout, stderr } = await model('pull', 'ada/none').ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('hob: Failed to download ada/none: 127.0.0.1');
    expect(stderr).toContain('Check the spelling');
  });
});

it.each(['SIGTERM', 'SIGKILL'] as const)(
  'a download that ends with its service by %s is reported by the next',
  async (signal) => {
    const { hub, hob, model, options, underWay } = await open();
    hub.fail(large, { kind: 'stall', afterBytes: 1_000_000 });
    const cli = model('pull', 'ada/tiny');
    await underWay();
    await until('it is known', async () => cli.output.stderr.includes('%'));
    expect(await hob.stop(signal)).toBe(signal === 'SIGTERM' ? 0 : null);
    const { code, stderr } = await cli.ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/Hob is not running|No response from Hob|stopped together with the service/);
    expect(stderr).toContain('The downloaded part is kept.');
    const next = await startHob({ ...options, home: hob.home });
    const client = await listenTo(`${next.url}/api/events?types=model.progress`, '0');
    await client.until('the end is published', ({ events }) => events.length > 0);
    expect(statesOf(client.events)).toEqual(['cancelled']);
  },
);

it('a download beyond the limit of a hundred is refused, but a request for an existing one joins it', async () => {
  const hub = await TestHub.start([]);
  hub.answer = () => true;
  const downloads = await downloadsHere({ url: hub.url, folder: await tempFolder() });
  const requests = Array.from({ length: 100 }, (_each, index) =>
    requestFor({ repo: { owner: 'ada', name: `model-${index}` } }),
  );
  for (const request of requests) expect(downloads.start(request).isJoined).toBe(false);
  expect(() => downloads.start(requestFor())).toThrow(expect.objectContaining({ code: 'downloads-full' }));
  for (const request of requests) expect(downloads.start(request).isJoined).toBe(true);
  const [first = ''] = downloads.list().map(({ id }) => id);
  downloads.cancel(first);
  await endOf(downloads, first);
  expect(downloads.start(requestFor()).isJoined).toBe(false);
});
