import { describe, expect, it } from 'vitest';

import { EventFrames } from './event-frames.ts';

const stream =
  ': hello\n\nid: 3\nevent: run.ended\ndata: {"message":"完成 a: b"}\n\nid: 4-0\n\nid: 5\nevent: odd\ndata: 7\n\n';
const events = [
  { id: '3', type: 'run.ended', data: { message: '完成 a: b' } },
  { id: '4-0', type: '', data: {} },
  { id: '5', type: 'odd', data: {} },
];

describe('the reader of event streams', () => {
  it('reads events, positions and no comments', () => {
    expect(new EventFrames().take(stream)).toEqual(events);
  });

  it('reads the same from pieces of any length', () => {
    for (let length = 1; length < stream.length; length++) {
      const frames = new EventFrames();
      const read = [];
      for (let at = 0; at < stream.length; at += length)
        read.push(...frames.take(stream.slice(at, at + length)));
      expect(read).toEqual(events);
    }
  });

  it('keeps an incomplete event until its end arrives', () => {
    const frames = new EventFrames();
    expect(frames.take('id: 1\nevent: a\ndata: {}\n')).toEqual([]);
    expect(frames.take('\n')).toEqual([{ id: '1', type: 'a', data: {} }]);
  });
});
