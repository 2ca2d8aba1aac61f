import { describe, expect, it } from 'vitest';

import { MemoryRunStore } from '../../test/support/memory-run-store.ts';
import { queuedRun } from '../../test/support/run-records.ts';
import type { TypedPiece } from '../execution/messages.ts';
import { RunTerminals } from './run-terminals.ts';

const size = { columns: 80, rows: 24 };
const piece = { base64: 'YQ==', order: null, answers: null };

/** A live run, with an executor that has a terminal for it, or that cannot be reached. */
function openTerminals({ hasTerminal = true, isReachable = true } = {}) {
  const store = new MemoryRunStore();
  const { runId } = store.insert(queuedRun(), 'hash');
  const typed: TypedPiece[] = [];
  const hastened: string[] = [];
  const terminals = new RunTerminals({
    store,
    executor: {
      terminalOf: () => (hasTerminal ? size : null),
      type: (_runId, each) => isReachable && typed.push(each) > 0,
      resize: () => isReachable,
    },
    outputs: {
      look: async () => ({ endBytes: 7, segments: [], isLive: true }),
      hasten: (id) => void hastened.push(id),
    },
  });
  return { terminals, runId, typed, hastened };
}

describe('RunTerminals', () => {
  it('passes typed input on, and makes readers poll the output soon', () => {
    const { terminals, runId, typed, hastened } = openTerminals();
    terminals.type(runId, piece);
    expect([typed, hastened]).toEqual([[piece], [runId]]);
  });

  it('reports the size, and the number of bytes shown', async () => {
    const { terminals, runId } = openTerminals();
    expect(await terminals.look(runId)).toEqual({ ...size, outputBytes: 7 });
  });

  it('remembers the size of the last page, for the next run', () => {
    const { terminals, runId } = openTerminals();
    expect(terminals.lastSize).toEqual(size);
    terminals.resize(runId, { columns: 100, rows: 30 });
    expect(terminals.lastSize).toEqual({ columns: 100, rows: 30 });
  });

  it('refuses input that it cannot pass on', async () => {
    const without = openTerminals({ hasTerminal: false });
    expect(await without.terminals.look(without.runId)).toBeNull();
    expect(() => without.terminals.type(without.runId, piece)).toThrow('has no terminal');
    const cutOff = openTerminals({ isReachable: false });
    expect(() => cutOff.terminals.type(cutOff.runId, piece)).toThrow('cannot be reached');
    expect(() => cutOff.terminals.resize(cutOff.runId, size)).toThrow('cannot be reached');
    expect(() => cutOff.terminals.resize('nobody', size)).toThrow('No such run: nobody');
  });
});
