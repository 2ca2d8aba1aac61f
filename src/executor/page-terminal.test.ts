import { describe, expect, it } from 'vitest';

import type { TerminalSize } from '../execution/messages.ts';
import { PageTerminal } from './page-terminal.ts';

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
  it('types each piece of a sender once, in whatever company', () => {
    const { terminal, typed } = openTerminal();
    for (const [base64, sender, number] of [
      ['a', 'one', 1],
      ['b', 'one', 2],
      ['b', 'one', 2],
      ['c', 'two', 1],
      ['a', 'one', 1],
      ['d', 'one', 5],
    ] as const)
      terminal.type({ base64, order: { sender, number } });
    expect(typed).toEqual(['a', 'b', 'c', 'd']);
  });

  it('types whatever comes without a number', () => {
    const { terminal, typed } = openTerminal();
    terminal.type({ base64: 'a', order: null });
    terminal.type({ base64: 'a', order: null });
    expect(typed).toEqual(['a', 'a']);
  });

  it('forgets senders that were not heard for long, and not one that was just heard', () => {
    const { terminal, typed } = openTerminal();
    terminal.type({ base64: 'first', order: { sender: 'first', number: 1 } });
    for (let count = 0; count < 100; count++) {
      terminal.type({ base64: '-', order: { sender: `other ${count}`, number: 1 } });
      if (count === 50) terminal.type({ base64: 'first', order: { sender: 'first', number: 2 } });
    }
    terminal.type({ base64: 'again', order: { sender: 'first', number: 2 } });
    expect(typed).not.toContain('again');
  });

  it('knows the size that was said last', () => {
    const { terminal, sizes } = openTerminal();
    expect(terminal.size).toEqual({ columns: 80, rows: 24 });
    terminal.resize({ columns: 100, rows: 30 });
    expect([terminal.size, sizes]).toEqual([{ columns: 100, rows: 30 }, [{ columns: 100, rows: 30 }]]);
  });
});
