import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { executorPid, type Hob, launchHob, startHob, tempFolder, untilGone } from '../support/hob.ts';
import {
  drain,
  NumberedCheck,
  numberedOutput,
  type OpenOutput,
  openOutput,
  readOutput,
} from '../support/output-client.ts';
import { bash, writeScript } from '../support/scripts.ts';
import { until } from '../support/until.ts';

const kib = 1024;
const farthest = 9007199254740991;

async function start(hob: Hob, scriptId: string): Promise<string> {
  return String((await hob.post('/api/execute', { script_id: scriptId })).body.run_id);
}

/** Bytes of a follower as they arrive. */
function follower(open: OpenOutput) {
  let seen = '';
  const through = drain(open, (bytes) => {
    seen += bytes.toString('latin1');
  });
  return {
    through,
    get text() {
      return Buffer.from(seen, 'latin1').toString();
    },
    async sees(text: string): Promise<void> {
      await until(`"${text}" has come`, async () => Buffer.from(seen, 'latin1').toString() === text);
    },
  };
}

/** A script that prints one line after the other, each when its file exists. */
function printer(files: string, ...lines: string[]): [string, string] {
  const parts = lines.map(
    (line, index) =>
      `while [ -d "${files}" ] && [ ! -e "${files}/${index}" ]; do sleep 0.01; done; printf '%s' '${line}'`,
  );
  return bash(parts.join('\n'));
}

describe('the output of a run that has ended', () => {
  async function ended(text: string) {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'talker', { entry: bash(`printf '%s' '${text}'; echo oops >&2`) });
    const hob = await startHob({ scripts: [scripts] });
    const { headers } = await hob.run(id);
    return { hob, runId: String(headers.get('x-hob-run-id')) };
  }

  it('is returned as written, whole and by ranges', async () => {
    const text = 'Hob 说：你好，世界\n';
    const bytes = Buffer.from(text);
    const { hob, runId } = await ended(text);
    const whole = await readOutput(hob, runId);
    expect(whole).toMatchObject({ status: 200, isComplete: true });
    expect(whole.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-length': String(bytes.length),
      'accept-ranges': 'bytes',
      'x-hob-run-id': runId,
    });
    expect(whole.body).toEqual(bytes);
    expect(String((await readOutput(hob, runId, { stream: 'stderr' })).body)).toBe('oops\n');

    const total = bytes.length;
    for (const [range, first, last] of [
      ['bytes=0-', 0, total - 1],
      ['bytes=5-9', 5, 9],
      ['bytes=5-1000', 5, total - 1],
      ['bytes=-7', total - 7, total - 1],
    ] as const) {
      const part = await readOutput(hob, runId, { range });
      expect(part).toMatchObject({ status: 206, isComplete: true });
      expect(part.headers['content-range']).toBe(`bytes ${first}-${last}/${total}`);
      expect(part.headers['content-length']).toBe(String(last - first + 1));
      expect(part.body).toEqual(bytes.subarray(first, last + 1));
    }
    for (const range of ['bytes=0-1,3-4', 'lines=1-2', 'bytes=9-5'])
      expect(await readOutput(hob, runId, { range })).toMatchObject({ status: 200, body: bytes });
    const conditional = { range: 'bytes=1-', headers: { 'if-range': '"x"' } };
    expect(await readOutput(hob, runId, conditional)).toMatchObject({ status: 200, body: bytes });

    const beyond = await readOutput(hob, runId, { range: `bytes=${total}-` });
    expect(beyond.status).toBe(416);
    expect(beyond.headers).toMatchObject({
      'content-range': `bytes */${total}`,
      'x-hob-error': 'range-not-satisfiable',
      'x-hob-run-id': runId,
    });
    expect(JSON.parse(String(beyond.body))).toEqual({
      status: 'error',
      code: 'range-not-satisfiable',
      message: `Byte ${total} does not exist. The script has written ${total} bytes.`,
      hint: '',
    });
  });

  it('is the same for a follower, without waiting', async () => {
    const { hob, runId } = await ended('all of it');
    expect(await readOutput(hob, runId, { follow: true })).toMatchObject({
      status: 200,
      body: Buffer.from('all of it'),
      isComplete: true,
    });
    const rest = await readOutput(hob, runId, { follow: true, range: 'bytes=4-' });
    expect(rest).toMatchObject({ status: 206, body: Buffer.from('of it'), isComplete: true });
    expect(rest.headers['content-range']).toBe(`bytes 4-${farthest}/*`);
    // A client that has everything learns that there is no more.
    const none = await readOutput(hob, runId, { follow: true, range: 'bytes=9-' });
    expect(none).toMatchObject({ status: 206, body: Buffer.alloc(0), isComplete: true });
  });

  it('can be queried with HEAD', async () => {
    const { hob, runId } = await ended('all of it');
    const whole = await readOutput(hob, runId, { method: 'HEAD', follow: true });
    expect(whole).toMatchObject({ status: 200, body: Buffer.alloc(0) });
    expect(whole.headers).toMatchObject({ 'content-length': '9', 'accept-ranges': 'bytes' });
    const part = await readOutput(hob, runId, { method: 'HEAD', range: 'bytes=2-3' });
    expect(part.headers).toMatchObject({ 'content-length': '2', 'content-range': 'bytes 2-3/9' });
  });

  it('is refused for an unknown run and an invalid request', async () => {
    const { hob, runId } = await ended('x');
    const unknown = await hob.get('/api/runs/8f7c3c5e-0000-4b0e-9d0e-3f2d6a1f7c11/stdout');
    expect(unknown).toMatchObject({ status: 404, body: { code: 'run-unknown' } });
    for (const query of ['follow=maybe', 'follow=1&follow=0'])
      expect(await hob.get(`/api/runs/${runId}/stdout?${query}`)).toMatchObject({
        status: 400,
        body: { code: 'field-invalid' },
      });
    for (const query of ['follow=false', 'follow=0', 'follow=true', 'follow=1', 'follow='])
      expect(await (await fetch(`${hob.url}/api/runs/${runId}/stdout?${query}`)).text()).toBe('x');
    expect(await hob.post(`/api/runs/${runId}/stdout`, {})).toMatchObject({ status: 405 });
  });
});

describe('the output of a run that lasts', () => {
  it('is sent to followers as it is written, to late ones too, until the run has ended', async () => {
    const [scripts, files] = [await tempFolder(), await tempFolder()];
    const id = await writeScript(scripts, 'talker', { entry: printer(files, 'one ', '二', ' three') });
    const hob = await startHob({ scripts: [scripts] });
    const runId = await start(hob, id);
    const open = await openOutput(hob, runId, { follow: true });
    expect(open).toMatchObject({ status: 200, headers: { 'x-hob-run-id': runId } });
    expect(open.headers['content-length']).toBeUndefined();
    const early = follower(open);
    await writeFile(join(files, '0'), '');
    await early.sees('one ');
    await writeFile(join(files, '1'), '');
    await early.sees('one 二');

    const now = await readOutput(hob, runId);
    expect(now).toMatchObject({ status: 200, isComplete: true, body: Buffer.from('one 二') });
    const part = await readOutput(hob, runId, { range: 'bytes=4-100' });
    expect(part.headers['content-range']).toBe('bytes 4-6/*');
    expect((await readOutput(hob, runId, { range: 'bytes=7-' })).status).toBe(416);
    const late = follower(await openOutput(hob, runId, { follow: true }));
    const last = await openOutput(hob, runId, { follow: true, range: 'bytes=-3' });
    expect(last.headers['content-range']).toBe(`bytes 4-${farthest}/*`);
    const lastBytes = follower(last);
    const atEnd = follower(await openOutput(hob, runId, { follow: true, range: 'bytes=7-' }));
    await late.sees('one 二');
    await lastBytes.sees('二');
    expect((await readOutput(hob, runId, { follow: true, range: 'bytes=8-' })).status).toBe(416);
    await writeFile(join(files, '2'), '');
    for (const each of [early, late, lastBytes, atEnd])
      expect(await each.through).toEqual({ isComplete: true });
    expect([early.text, late.text, lastBytes.text, atEnd.text]).toEqual([
      'one 二 three',
      'one 二 three',
      '二 three',
      ' three',
    ]);
  });

  it('can be followed while the run is still queued', async () => {
    const [scripts, files] = [await tempFolder(), await tempFolder()];
    const id = await writeScript(scripts, 'talker', { entry: printer(files, 'said') });
    const hob = await startHob({ scripts: [scripts], settings: 'max_runs = 1\n' });
    const first = await start(hob, id);
    const second = await start(hob, id);
    expect((await hob.get(`/api/runs/${second}`)).body.state).toBe('queued');
    const waiting = follower(await openOutput(hob, second, { follow: true }));
    const third = await start(hob, id);
    const never = follower(await openOutput(hob, third, { follow: true }));
    await hob.post(`/api/runs/${third}/cancel`, {});
    expect(await never.through).toEqual({ isComplete: true });
    expect(never.text).toBe('');
    await writeFile(join(files, '0'), '');
    expect(await waiting.through).toEqual({ isComplete: true });
    expect(waiting.text).toBe('said');
    await hob.ended(first);
  });

  it('can be resumed where it broke off when the service is killed and restarted', async () => {
    const [scripts, files, home] = [await tempFolder(), await tempFolder(), await tempFolder()];
    const bytes = 400 * kib;
    const entry = numberedOutput({ bytes, waits: [{ at: 200 * kib, file: join(files, 'go') }] });
    const id = await writeScript(scripts, 'numbers', { language: 'node.js', entry });
    const first = await launchHob({ home, scripts: [scripts] });
    const runId = await start(first, id);
    const check = new NumberedCheck();
    const open = await openOutput(first, runId, { follow: true });
    const broken = drain(open, (each) => check.take(each));
    await until('the first half is there', async () => check.at >= 200 * kib);
    await first.stop('SIGKILL');
    expect(await broken).toEqual({ isComplete: false });

    const second = await startHob({ home, scripts: [scripts] });
    const range = `bytes=${check.at}-`;
    const resumed = await openOutput(second, runId, { follow: true, range });
    expect(resumed.status).toBe(206);
    await writeFile(join(files, 'go'), '');
    expect(await drain(resumed, (each) => check.take(each))).toEqual({ isComplete: true });
    expect({ at: check.at, wrong: check.wrong }).toEqual({ at: bytes, wrong: 0 });
  });

  it('is cut off immediately when the service stops, so that it does not look complete', async () => {
    const [scripts, files, home] = [await tempFolder(), await tempFolder(), await tempFolder()];
    const id = await writeScript(scripts, 'talker', { entry: printer(files, 'one ', 'two') });
    const hob = await launchHob({ home, scripts: [scripts] });
    const executor = await executorPid(home);
    onTestFinished(() => untilGone(executor));
    const runId = await start(hob, id);
    const following = follower(await openOutput(hob, runId, { follow: true }));
    await writeFile(join(files, '0'), '');
    await following.sees('one ');
    const began = performance.now();
    const stopped = hob.stop();
    expect(await following.through).toEqual({ isComplete: false });
    // Open answers have two seconds to complete. An endless one must not use them up.
    expect(performance.now() - began).toBeLessThan(2000);
    expect(await stopped).toBe(0);
    await writeFile(join(files, '1'), '');
  });
});

describe('an output whose middle was not kept', () => {
  const limit = 128 * kib;
  const half = limit / 2;
  const settings = 'output_log_mib = 0.125\n';

  it('has a line in its place, which a range never has', async () => {
    const scripts = await tempFolder();
    const bytes = 500_000;
    const id = await writeScript(scripts, 'numbers', {
      language: 'node.js',
      entry: numberedOutput({ bytes }),
    });
    const hob = await startHob({ scripts: [scripts], settings });
    const runId = await start(hob, id);
    await hob.ended(runId);
    const line = `\n[... ${bytes - limit} bytes left out by Hob ...]\n`;
    for (const follow of [false, true]) {
      const { status, body, isComplete } = await readOutput(hob, runId, { follow });
      expect({ status, isComplete, length: body.length }).toEqual({
        status: 200,
        isComplete: true,
        length: limit + line.length,
      });
      expect(body.subarray(half, half + line.length).toString()).toBe(line);
      expect(wrongIn(body.subarray(0, half), 0)).toBe(0);
      expect(wrongIn(body.subarray(half + line.length), bytes - half)).toBe(0);
    }

    const beginning = await readOutput(hob, runId, { range: 'bytes=1000-' });
    expect(beginning.headers['content-range']).toBe(`bytes 1000-${half - 1}/${bytes}`);
    expect(wrongIn(beginning.body, 1000)).toBe(0);
    const end = await readOutput(hob, runId, { range: 'bytes=-100' });
    expect(wrongIn(end.body, bytes - 100)).toBe(0);

    // A follower that counts bytes is cut off before the gap, and learns why when it reconnects.
    const counting = await readOutput(hob, runId, { follow: true, range: 'bytes=1000-' });
    expect(counting).toMatchObject({ status: 206, isComplete: false });
    expect(counting.body.length).toBe(half - 1000);
    const back = await readOutput(hob, runId, { follow: true, range: `bytes=${half}-` });
    expect(back.status).toBe(416);
    expect(back.headers['content-range']).toBe(`bytes */${bytes}`);
    expect(JSON.parse(String(back.body))).toMatchObject({
      message: `Bytes ${half} to ${bytes - half - 1} were not kept. The script has written ${bytes} bytes.`,
      hint: `Continue with Range: bytes=${bytes - half}-`,
    });
    const rest = await readOutput(hob, runId, { follow: true, range: `bytes=${bytes - half}-` });
    expect(rest).toMatchObject({ status: 206, isComplete: true });
    expect(wrongIn(rest.body, bytes - half)).toBe(0);
  });

  it('has a line in place of each part that was overwritten before a follower could read it', async () => {
    const { hob, runId } = await flood(30_000_000);
    const { status, body, isComplete } = await readOutput(hob, runId, { follow: true });
    expect({ status, isComplete }).toEqual({ status: 200, isComplete: true });
    const line = /^\n\[\.\.\. (\d+) bytes left out by Hob \.\.\.\]\n/;
    let [at, from] = [0, 0];
    let wrong = 0;
    for (let next = body.indexOf('\n[... ', from); ; next = body.indexOf('\n[... ', from)) {
      const part = body.subarray(from, next === -1 ? body.length : next);
      wrong += wrongIn(part, at);
      at += part.length;
      if (next === -1) break;
      const [mark = '', missing] = line.exec(body.subarray(next, next + 100).toString('latin1')) ?? [];
      at += Number(missing);
      from = next + mark.length;
    }
    expect({ at, wrong }).toEqual({ at: 30_000_000, wrong: 0 });
  });

  it('is distinguished from existing bytes for a follower that counts, repeatedly', async () => {
    const { hob, runId } = await flood(30_000_000);
    const check = new NumberedCheck();
    let missing = 0;
    for (let isOver = false; !isOver; ) {
      const open = await openOutput(hob, runId, { follow: true, range: `bytes=${check.at}-` });
      if (open.status === 206) {
        isOver = (await drain(open, (bytes) => check.take(bytes))).isComplete;
        continue;
      }
      let refusal = '';
      await drain(open, (bytes) => {
        refusal += bytes;
      });
      const next = Number(/bytes=(\d+)-/.exec(JSON.parse(refusal).hint)?.[1]);
      expect(next).toBeGreaterThan(check.at);
      missing += next - check.at;
      check.skipTo(next);
    }
    expect({ at: check.at, wrong: check.wrong }).toEqual({ at: 30_000_000, wrong: 0 });
    expect(missing).toBeLessThanOrEqual(30_000_000 - half);
  });

  async function flood(bytes: number) {
    const scripts = await tempFolder();
    const entry = numberedOutput({ bytes });
    const id = await writeScript(scripts, 'numbers', { language: 'node.js', entry });
    const hob = await startHob({ scripts: [scripts], settings });
    return { hob, runId: await start(hob, id) };
  }

  it('is correct at both ends when its executor was killed', async () => {
    const [scripts, files] = [await tempFolder(), await tempFolder()];
    const entry = numberedOutput({ bytes: 2 ** 40, waits: [{ at: 2 ** 30, file: join(files, 'never') }] });
    const id = await writeScript(scripts, 'numbers', { language: 'node.js', entry });
    const hob = await startHob({ scripts: [scripts], settings });
    const runId = await start(hob, id);
    await until('the ring is overwritten', async () => {
      const { headers } = await readOutput(hob, runId, { range: 'bytes=-1' });
      return Number(/^bytes (\d+)/.exec(headers['content-range'] ?? '')?.[1]) > 5 * limit;
    });
    process.kill(await executorPid(hob.home), 'SIGKILL');
    const record = await hob.ended(runId);
    expect(record).toMatchObject({ end_cause: 'lost', truncated: true });
    const total = Number(record.stdout_bytes);
    expect(total).toBeGreaterThan(5 * limit);
    const head = await readOutput(hob, runId, { range: 'bytes=0-' });
    expect(head.headers['content-range']).toBe(`bytes 0-${half - 1}/${total}`);
    expect(wrongIn(head.body, 0)).toBe(0);
    const tail = await readOutput(hob, runId, { range: `bytes=-${limit}` });
    // The whole ring, except for what was being written.
    expect(tail.status).toBe(206);
    expect(tail.body.length).toBeLessThanOrEqual(half);
    expect(tail.body.length).toBeGreaterThanOrEqual(half - half / 8);
    expect(wrongIn(tail.body, total - tail.body.length)).toBe(0);
  });
});

function wrongIn(bytes: Buffer, from: number): number {
  const check = new NumberedCheck(from);
  check.take(bytes);
  return check.wrong;
}
