import { Terminal } from '@xterm/xterm';
import { describe, expect, it } from 'vitest';

import { QueryWatch, splitQueries } from './query-watch.ts';

const position = '\x1b[6n';
const device = '\x1b[c';
const focusOn = '\x1b[?1004h';
const mouseOn = '\x1b[?1000;1006h';

/** A terminal without a page, which records what is sent to the script. */
function openWatch() {
  const sent: string[] = [];
  const terminal = new Terminal();
  const watch = new QueryWatch(terminal, {
    onTyped: (text) => void sent.push(`typed ${text.replace('\x1b', '')}`),
    onAnswer: ({ text, askedAt }) => void sent.push(`${askedAt}: ${text.replace('\x1b', '')}`),
  });
  let endBytes = 0;
  const write = async (text: string) => {
    const offset = endBytes;
    endBytes += text.length;
    await watch.write(text, offset, endBytes);
  };
  return { watch, terminal, sent, write };
}

describe('QueryWatch', () => {
  it('answers current queries, even if other output follows', async () => {
    const { sent, write } = openWatch();
    await write(`ab${position}${device}Name? `);
    expect(sent).toEqual(['6: [1;3R', '9: [?1;2c']);
  });

  it('does not answer old queries that were followed by other output', async () => {
    const { watch, sent, write } = openWatch();
    const old = `ab${position}${device}Name? `;
    watch.setOldBytes(old.length);
    await write(`ab${position}`);
    await write(`${device}Name? `);
    await write(position);
    expect(sent).toEqual([`${old.length + 4}: [1;9R`]);
  });

  it('answers the last old queries once all old output is written', async () => {
    const { watch, sent, write } = openWatch();
    watch.setOldBytes(10);
    await write(`a${position}`);
    expect(sent).toEqual([]);
    await write(`\x1b[5nName? `);
    expect(sent).toEqual(['5: [1;2R', '9: [0n']);
  });

  it('treats output after a pause as old until the amount is known', async () => {
    const { watch, sent, write } = openWatch();
    await write('ready');
    watch.setOldBytes(Number.POSITIVE_INFINITY);
    await write(`${position}Name? ${device}`);
    expect(sent).toEqual([]);
    watch.setOldBytes(18);
    expect(sent).toEqual(['18: [?1;2c']);
  });

  it('sends no focus report when focus reporting is switched on', async () => {
    const { sent, write } = openWatch();
    await write(`${focusOn}${mouseOn}`);
    expect(sent).toEqual([]);
  });

  it('sends typed input at any time, but mouse and focus reports only when up to date', async () => {
    const { watch, terminal, sent, write } = openWatch();
    const act = () => {
      for (const text of ['\x1b[I', '\x1b[<0;3;4M', '\x1b[A', 'x']) terminal.input(text);
    };
    watch.setOldBytes(100);
    await write(focusOn);
    act();
    expect(sent.splice(0)).toEqual(['typed [A', 'typed x']);
    watch.setOldBytes(0);
    act();
    expect(sent).toEqual(['typed [I', 'typed [<0;3;4M', 'typed [A', 'typed x']);
  });
});

describe('splitQueries', () => {
  it('keeps output without queries in one part', () => {
    expect(splitQueries('\x1b[31m中文\x1b[0m\n', 7)).toEqual([
      { text: '\x1b[31m中文\x1b[0m\n', endBytes: 23, isQuery: false },
    ]);
    expect(splitQueries('', 7)).toEqual([]);
  });

  it.each([
    ['the cursor position', '\x1b[6n'],
    ['the cursor position (DEC)', '\x1b[?6n'],
    ['the device attributes', '\x1b[c'],
    ['the version', '\x1b[>0c'],
    ['a mode', '\x1b[?2026$p'],
    ['the background', '\x1b]11;?\x07'],
    ['a colour', '\x1b]4;12;?\x1b\\'],
    ['the cursor style', '\x1bP$q q\x1b\\'],
  ])('splits around a query for %s, with byte offsets', (_what, asked) => {
    const bytes = asked.length;
    expect(splitQueries(`中${asked}b${asked}`, 100)).toEqual([
      { text: '中', endBytes: 103, isQuery: false },
      { text: asked, endBytes: 103 + bytes, isQuery: true },
      { text: 'b', endBytes: 104 + bytes, isQuery: false },
      { text: asked, endBytes: 104 + 2 * bytes, isQuery: true },
    ]);
  });

  it('gives a query the same offset, however the output is chunked', () => {
    const whole = splitQueries('abc\x1b[6ndef\x1b[6n', 0).map(({ endBytes }) => endBytes);
    const later = splitQueries('def\x1b[6n', 7).map(({ endBytes }) => endBytes);
    expect(whole.at(-1)).toBe(later.at(-1));
  });
});
