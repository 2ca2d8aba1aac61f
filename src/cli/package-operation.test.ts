import { describe, expect, it } from 'vitest';
import type { Operation } from '../contract/types.ts';
import { operationDisplay, progressSentence } from './package-operation.ts';

const at = (stage: Operation['stage'], rest: Partial<Operation> = {}): Operation => ({
  operation_id: '1',
  kind: 'install',
  state: 'running',
  stage,
  script_id: null,
  script_name: null,
  version: null,
  source: null,
  entries_done: 0,
  bytes_done: 0,
  run_id: null,
  warnings: [],
  problems: [],
  started_at: '2026-05-01T12:00:00.000Z',
  ended_at: null,
  error: null,
  ...rest,
});
const plain = (text: string) => text;

describe('the progress of an operation', () => {
  it('shows the script name when it is known, and the amount fetched', () => {
    expect(progressSentence(at('fetching'), './x.zip')).toBe('./x.zip: fetching ...');
    expect(progressSentence(at('fetching', { entries_done: 1, bytes_done: 1500 }), 'x')).toBe(
      'x: fetching, 1 file, 1.5 kB',
    );
    const known = { script_name: '图片\u001b[2J', version: '1.0', entries_done: 9 };
    expect(progressSentence(at('checking', known), 'x')).toBe('图片?[2J 1.0: checking ...');
    expect(progressSentence(at(null), 'x')).toBe('x: waiting ...');
  });

  it('is one line per stage without a terminal', () => {
    const written: string[] = [];
    const display = operationDisplay({ write: (text) => written.push(text) }, 'x', plain);
    display.show(at('fetching', { bytes_done: 1 }));
    display.show(at('fetching', { bytes_done: 2 }));
    display.show(at('preparing'));
    display.log('building \u001b]0;title\u0007');
    display.show(at('preparing', { state: 'done' }));
    display.clear();
    expect(written).toEqual([
      'x: fetching, 1 B\n',
      'x: preparing the environment ...\n',
      '  | building ?]0;title?\n',
    ]);
  });

  it('is one line below the log on a terminal, cut to its width', () => {
    const written: string[] = [];
    const display = operationDisplay(
      { isTTY: true, columns: 23, write: (text) => written.push(text) },
      'a-long-name',
      plain,
    );
    display.show(at('fetching'));
    display.log('one');
    display.clear();
    const line = '\ra-long-name: fetc...\u001b[K';
    expect(written).toEqual([line, '\r\u001b[K', '  | one\n', line, '\r\u001b[K']);
  });
});
