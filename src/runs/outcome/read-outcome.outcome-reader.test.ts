import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { pino } from 'pino';
import { describe, expect, it } from 'vitest';

import { tempFolder } from '../../../test/support/hob.ts';
import { endWithoutProcess } from '../../execution/messages.ts';
import { type RunFolder, runFolderAt } from '../run.ts';
import { OutcomeReader, type OutcomeRequest, type OutcomeTexts } from './read-outcome.ts';

const log = pino({ enabled: false });
const realEntry = new URL('../../../test/support/outcome-worker.mjs', import.meta.url);
const mebibyte = 1024 * 1024;

interface LeftBehind {
  result?: string;
  stdout?: string | Buffer;
  withOutput?: boolean;
}

async function requestFor({
  result = '',
  stdout = '',
  withOutput = true,
}: LeftBehind): Promise<OutcomeRequest> {
  const path = await tempFolder();
  const folder: RunFolder = runFolderAt(path, '.');
  if (result !== '') await writeFile(folder.resultFile, result);
  await writeFile(folder.stdoutLog, stdout);
  const bytes = Buffer.byteLength(stdout);
  return {
    folder,
    end: {
      ...endWithoutProcess('r', 'exit'),
      exitCode: 0,
      stdout: { bytes, headBytes: bytes, tailBytes: 0 },
    },
    timeoutMs: null,
    unavailable: null,
    language: 'en',
    limits: { resultBytes: 16 * mebibyte, outputAnswerBytes: 16 * mebibyte },
    withOutput,
  };
}

function textsOf({ envelope, ...texts }: OutcomeTexts) {
  const [result, message, stdout, stderr] = [texts.result, texts.message, texts.stdout, texts.stderr].map(
    (text) => String(Buffer.from(text)),
  );
  return { envelope, result, message, stdout, stderr };
}

/** A thread entry file with this text. */
async function entryThat(text: string): Promise<URL> {
  const path = join(await tempFolder(), 'entry.mjs');
  await writeFile(path, text);
  return pathToFileURL(path);
}

const nowhere = new URL('file:///nowhere/entry.mjs');

describe('the outcome of a script', () => {
  it('is read without a thread if it is small', async () => {
    const result = '{"code":0,"msg":"ok","id":9007199254740993}';
    const request = await requestFor({ result, stdout: 'a\nb' });
    expect(textsOf(await new OutcomeReader({ entry: nowhere, log }).read(request))).toEqual({
      envelope: 'own',
      result,
      message: '"ok"',
      stdout: '"a\\nb"',
      stderr: '""',
    });
  });

  it.each([
    ['a large envelope', { result: `{"code":0,"msg":"${'好'.repeat(mebibyte)}"}`, stdout: 'x' }],
    [
      'a large envelope and much output',
      { result: `{"code":0,"msg":"${'x'.repeat(mebibyte)}"}`, stdout: '"line"\n'.repeat(mebibyte / 8) },
    ],
    [
      'a small envelope in a large file',
      { result: `${' '.repeat(mebibyte)}{"code":0,"msg":"ok"}\n`, stdout: '' },
    ],
  ])('is the same when a thread reads it: %s', async (_name, { result, stdout }) => {
    const request = await requestFor({ result, stdout });
    const texts = textsOf(await new OutcomeReader({ entry: realEntry, log }).read(request));
    const envelope = JSON.parse(result);
    expect(texts.envelope).toBe('own');
    expect(texts.result === result.trim()).toBe(true);
    expect(texts.message === JSON.stringify(envelope.msg)).toBe(true);
    expect(texts.stdout === JSON.stringify(stdout)).toBe(true);
    expect(texts.stderr).toBe('""');
  });

  it.each([
    ['in UTF-8', Buffer.from('"行"\n'.repeat(mebibyte)), '"行"\n'.repeat(mebibyte)],
    ['in GB18030', Buffer.from('d0d00a', 'hex'), '行\n'],
    ['in no encoding', Buffer.from('ff0a', 'hex'), '\uFFFD\n'],
  ])('needs no thread for large output, %s, and yields to other work', async (_name, unit, text) => {
    const times = unit.length > 3 ? 1 : mebibyte;
    const request = await requestFor({
      result: '{"code":0,"msg":"ok"}',
      stdout: Buffer.concat(Array(times).fill(unit)),
    });
    let turns = 0;
    let isRead = false;
    const others = (): void => {
      turns += 1;
      if (!isRead) setImmediate(others);
    };
    setImmediate(others);
    const texts = textsOf(await new OutcomeReader({ entry: nowhere, log }).read(request));
    isRead = true;
    expect(texts.stdout === JSON.stringify(text.repeat(times))).toBe(true);
    expect(turns).toBeGreaterThan(2 * (request.end.stdout.bytes / mebibyte));
  });

  it('is read without a thread if the output is not requested, or if the result is over the limit', async () => {
    const reader = new OutcomeReader({ entry: nowhere, log });
    const quiet = await requestFor({ stdout: 'x'.repeat(mebibyte), withOutput: false });
    expect(textsOf(await reader.read(quiet))).toMatchObject({ envelope: 'synthesized', stdout: '""' });
    const huge = await requestFor({ result: 'x'.repeat(17 * mebibyte) });
    expect(textsOf(await reader.read(huge)).message).toContain('result_mib');
  });

  it.each([
    ['runs out of memory', 'const all = []; for (;;) all.push(new Array(1000).fill(all.length));', /MEMORY/],
    ['throws', 'throw new Error("broken");', /broken/],
    ['ends without a word', 'process.exit(3);', /exited with code 3/],
  ])(
    'is synthesized when the thread %s: it states the failure, and where the output is',
    async (_name, text, why) => {
      const request = await requestFor({
        result: `{"code":0,"msg":"${'x'.repeat(mebibyte)}"}`,
        stdout: 'out',
      });
      const texts = textsOf(await new OutcomeReader({ entry: await entryThat(text), log }).read(request));
      expect(texts.envelope).toBe('synthesized');
      expect(JSON.parse(texts.result ?? '')).toMatchObject({ code: -3, msg: expect.stringMatching(why) });
      expect(texts.message).toContain('could not read it');
      expect(JSON.parse(texts.stdout ?? '')).toContain(
        `3 bytes left out by Hob ...] The full output is in ${request.folder.stdoutLog}`,
      );
    },
  );

  it('is read by two threads at a time, while others wait', async () => {
    const folder = await tempFolder();
    const journal = join(folder, 'journal');
    const entry = await entryThat(`
import { appendFileSync, existsSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
const note = (word) => appendFileSync(${JSON.stringify(journal)}, word + ' ' + workerData.end.runId + '\\n');
note('begin');
while (!existsSync(${JSON.stringify(folder)} + '/go-' + workerData.end.runId)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
note('end');
const text = Buffer.from('""');
parentPort.postMessage({ envelope: 'own', result: text, message: text, stdout: text, stderr: text });`);
    const reader = new OutcomeReader({ entry, log });
    const request = await requestFor({ result: 'x'.repeat(mebibyte) });
    const begun = async (count: number) => {
      for (;;) {
        const text = existsSync(journal) ? await readFile(journal, 'utf8') : '';
        const runs = [...text.matchAll(/begin (\d)/g)].map(([, runId]) => runId ?? '');
        if (runs.length >= count) return runs;
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const readings = ['1', '2', '3', '4', '5'].map((runId) =>
      reader.read({ ...request, end: { ...request.end, runId } }),
    );
    // Each thread may finish only when the next one could have started too.
    for (const count of [2, 3, 4, 5, 5]) {
      const runs = await begun(count);
      const held = runs.find((runId) => !existsSync(join(folder, `go-${runId}`)));
      await writeFile(join(folder, `go-${held}`), '');
    }
    expect(await Promise.all(readings)).toHaveLength(5);
    let open = 0;
    let most = 0;
    for (const line of (await readFile(journal, 'utf8')).trim().split('\n')) {
      open += line.startsWith('begin') ? 1 : -1;
      most = Math.max(most, open);
    }
    expect([open, most]).toEqual([0, 2]);
  });
});
