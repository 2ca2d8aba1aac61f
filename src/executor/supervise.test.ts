import { describe, expect, it } from 'vitest';

import type { TerminalSize } from '../execution/messages.ts';
import { PageTerminal } from './window.ts';

function openTerminal() {
  const typed: string[] = [];
  const sizes: TerminalSize[] = [];
  const window = {
    type: (base64: string) => void typed.push(base64),
    resize: (size: TerminalSize) => void sizes.push(size),
  };
  return { terminal: new PageTerminal(window, { columns: 80, rows: 24 }), typed, sizes };
}

describe('PageTerminal', () => {
  it('types each numbered input of a sender once, independently of other senders', () => {
    const { terminal, typed } = openTerminal();
    for (const [base64, sender, number] of [
      ['a', 'one', 1],
      ['b', 'one', 2],
      ['b', 'one', 2],
      ['c', 'two', 1],
      ['a', 'one', 1],
      ['d', 'one', 5],
    ] as const)
      terminal.type({ base64, order: { sender, number }, answers: null });
    expect(typed).toEqual(['a', 'b', 'c', 'd']);
  });

  it('types all input that has no sequence number', () => {
    const { terminal, typed } = openTerminal();
    terminal.type({ base64: 'a', order: null, answers: null });
    terminal.type({ base64: 'a', order: null, answers: null });
    expect(typed).toEqual(['a', 'a']);
  });

  it('uses only the first answer to a terminal query', () => {
    const { terminal, typed } = openTerminal();
    for (const [base64, answers] of [
      ['first', 10],
      ['again', 10],
      ['next', 20],
      ['late', 10],
    ] as const)
      terminal.type({ base64, order: null, answers });
    terminal.type({ base64: 'typed', order: null, answers: null });
    expect(typed).toEqual(['first', 'next', 'typed']);
  });

  it('forgets the senders that have been quiet longest, and not a recent one', () => {
    const { terminal, typed } = openTerminal();
    terminal.type({ base64: 'first', order: { sender: 'first', number: 1 }, answers: null });
    for (let count = 0; count < 100; count++) {
      terminal.type({ base64: '-', order: { sender: `other ${count}`, number: 1 }, answers: null });
      if (count === 50)
        terminal.type({ base64: 'first', order: { sender: 'first', number: 2 }, answers: null });
    }
    terminal.type({ base64: 'again', order: { sender: 'first', number: 2 }, answers: null });
    expect(typed).not.toContain('again');
  });

  it('reports the size that was set last', () => {
    const { terminal, sizes } = openTerminal();
    expect(terminal.size).toEqual({ columns: 80, rows: 24 });
    terminal.resize({ columns: 100, rows: 30 });
    expect([terminal.size, sizes]).toEqual([{ columns: 100, rows: 30 }, [{ columns: 100, rows: 30 }]]);
  });
});
