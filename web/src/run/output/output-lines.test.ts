import { describe, expect, it } from 'vitest';

import { OutputLines, type OutputSnapshot } from './output-lines.ts';

const esc = '\u001b';

function linesIn({ closed, open }: OutputSnapshot) {
  return [...closed, open].flatMap(({ lines }) => lines);
}

function shown(...pieces: string[]): string[] {
  const output = new OutputLines();
  for (const piece of pieces) output.take('stdout', piece);
  return linesIn(output.snapshot()).map(({ text }) => text);
}

describe('lines of output', () => {
  it('end at LF or CRLF, and include the unfinished last line', () => {
    expect(shown('one\ntwo\r\nthr', 'ee\r', '\n\nfi', 've')).toEqual(['one', 'two', 'three', '', 'five']);
    expect(shown()).toEqual([]);
    expect(shown('one\n')).toEqual(['one']);
  });

  it('show the final state of a progress bar', () => {
    expect(shown('10%\r20%\r', '100%')).toEqual(['100%']);
    expect(shown('loading\rdone\n')).toEqual(['doneing']);
    expect(shown(`loading\r${esc}[Kdone\n`)).toEqual(['done']);
    expect(shown(`loading${esc}[2K\rok`)).toEqual(['ok']);
    expect(shown('第一步\r第二')).toEqual(['第二步']);
    expect(shown('😀😀\r😁')).toEqual(['😁😀']);
  });

  it('handle backspace, cursor movement and erasing like a terminal', () => {
    expect(shown('abc\b\bX')).toEqual(['aXc']);
    expect(shown('\b\bX')).toEqual(['X']);
    expect(shown(`abcdef${esc}[3D__`)).toEqual(['abc__f']);
    expect(shown(`ab${esc}[2Ccd`)).toEqual(['ab  cd']);
    expect(shown(`abcdef${esc}[3G${esc}[K!`)).toEqual(['ab!']);
    expect(shown(`abcd${esc}[2D${esc}[1K`)).toEqual(['   d']);
    expect(shown(`a${esc}[999999999Cb`)[0]?.length).toBe(1001);
  });

  it('leave out control sequences, even if they are split between chunks', () => {
    const text = `a${esc}]0;title\u0007b${esc}]8;;http://x${esc}\\link${esc}]8;;${esc}\\${esc}(Bc${esc}[?25ld\u0007${esc}7\tz`;
    for (let at = 0; at <= text.length; at += 1)
      expect(shown(text.slice(0, at), text.slice(at))).toEqual(['ablinkcd\tz']);
    expect(shown(...text)).toEqual(['ablinkcd\tz']);
  });

  it('show a sequence as text if it does not end', () => {
    const text = `${esc}]0;${'x'.repeat(5000)}`;
    expect(shown(text)[0]).toHaveLength(5003);
  });

  it('are split if they are too long, but not within a character', () => {
    const lines = shown('😀'.repeat(12_000));
    expect(lines.map((line) => line.length)).toEqual([10_000, 10_000, 4000]);
    expect(shown(`${'x'.repeat(9999)}😀${'y'.repeat(10)}`).map((line) => line.length)).toEqual([10_001, 10]);
    expect(lines.join('')).toBe('😀'.repeat(12_000));
  });

  it('keep their colours across lines and chunks', () => {
    const output = new OutputLines();
    output.take('stdout', `plain ${esc}[1;3`);
    output.take('stdout', `1mred\nstill${esc}[0m not\n${esc}[m`);
    const [first, second] = linesIn(output.snapshot());
    const red = expect.objectContaining({ ink: 1, isBold: true });
    expect(first?.pieces).toEqual([
      { text: 'plain ', style: null },
      { text: 'red', style: red },
    ]);
    expect(second?.pieces).toEqual([
      { text: 'still', style: red },
      { text: ' not', style: null },
    ]);
  });

  it('keep an unfinished line of the other stream at the end', () => {
    const output = new OutputLines();
    output.take('stderr', ' 40% |####      |');
    output.take('stdout', 'one\ntw');
    output.take('stderr', '\r 50% |#####     |');
    output.take('stdout', 'o\n');
    const seen = () => linesIn(output.snapshot()).map(({ stream, text }) => [stream, text]);
    expect(seen()).toEqual([
      ['stdout', 'one'],
      ['stdout', 'two'],
      ['stderr', ' 50% |#####     |'],
    ]);
    output.take('stderr', '\n');
    output.take('stdout', 'three\n');
    expect(seen().at(-1)).toEqual(['stdout', 'three']);
  });

  it('have a line in the place of missing bytes', () => {
    const output = new OutputLines();
    output.take('stdout', 'one\ntw');
    output.skip('stdout', 1234);
    output.take('stdout', 'end\n');
    expect(linesIn(output.snapshot()).map(({ text, missingBytes }) => [text, missingBytes])).toEqual([
      ['one', null],
      ['tw', null],
      ['', 1234],
      ['end', null],
    ]);
  });
});

describe('blocks of lines', () => {
  it('do not change once they are closed', () => {
    const output = new OutputLines({ blockLines: 2 });
    output.take('stdout', 'a\nb\nc');
    const before = output.snapshot();
    output.take('stdout', '\nd\ne');
    const after = output.snapshot();
    expect(before.closed).toHaveLength(1);
    expect(after.closed).toHaveLength(2);
    expect(after.closed[0]).toBe(before.closed[0]);
    // The open block becomes this closed one, and keeps its key.
    expect(after.closed[1]?.key).toBe(before.open.key);
    expect(after.lineCount).toBe(5);
  });

  it('are dropped, the oldest first, beyond the limit of the page', () => {
    const output = new OutputLines({ blockLines: 2, lines: 4 });
    for (let line = 0; line < 9; line += 1) output.take('stdout', `${line}\n`);
    const { droppedLines, lineCount, ...rest } = output.snapshot();
    expect({ droppedLines, lineCount }).toEqual({ droppedLines: 4, lineCount: 9 });
    expect(linesIn({ droppedLines, lineCount, ...rest }).map(({ text }) => text)).toEqual([
      '4',
      '5',
      '6',
      '7',
      '8',
    ]);
    const long = new OutputLines({ blockLines: 1, characters: 10 });
    for (const text of ['aaaaaa\n', 'bbbbbb\n', 'cccc\n']) long.take('stdout', text);
    expect(linesIn(long.snapshot()).map(({ text }) => text)).toEqual(['bbbbbb', 'cccc']);
  });

  it('are smaller and fewer if every character has its own colour', () => {
    const output = new OutputLines({ blockPieces: 6, pieces: 12 });
    const line = [1, 2, 3].map((colour) => `${esc}[3${colour}mx`).join('');
    for (let count = 0; count < 9; count += 1) output.take('stdout', `${line}\n`);
    const { closed, open, droppedLines } = output.snapshot();
    expect([...closed, open].map(({ lines }) => lines.length)).toEqual([2, 2, 1]);
    expect(droppedLines).toBe(4);
  });

  it('keep the whole text of a line with very many colours, but not all colours', () => {
    const output = new OutputLines();
    for (let count = 0; count < 3000; count += 1) output.take('stdout', `${esc}[3${count % 7}mx`);
    const [line] = linesIn(output.snapshot());
    expect(line?.text).toBe('x'.repeat(3000));
    expect(line?.pieces).toHaveLength(1000);
    expect(line?.pieces?.map(({ text }) => text).join('')).toBe(line?.text);
  });
});
