import { randomUUID } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import type { KeyStore, KeyUse } from '../../src/runs/keys/key-store.ts';

const at = (hour: number) => `2024-05-01T${String(hour).padStart(2, '0')}:00:00.000Z`;
const newUse = (rest: Partial<KeyUse> = {}): KeyUse => ({
  scriptId: randomUUID(),
  keyHash: 'hash',
  bodyMac: 'mac',
  ...rest,
});

interface KeysAndRuns {
  keys: KeyStore;
  /** Inserts a run. */
  begin: (runId: string) => void;
  end: (runId: string) => void;
}

/** The behaviour of every key store, wherever it stores the keys. */
export function describeKeyStore(name: string, openWithRuns: () => KeysAndRuns): void {
  const open = () => openWithRuns().keys;
  describe(`the key store in ${name}`, () => {
    it('finds no key that was never stored', () => {
      const keys = open();
      expect(keys.find(newUse(), at(0))).toBeNull();
      expect(keys.isHeld('run')).toBe(false);
      expect(() => keys.release('run')).not.toThrow();
    });

    it('finds a key by its script and hash, and returns the request and run it was used for', () => {
      const keys = open();
      const use = newUse();
      const owner = { runId: 'run', usedAt: at(5), since: at(0) };
      keys.put(use, owner);
      expect(keys.find(use, at(0))).toEqual({ runId: 'run', bodyMac: 'mac' });
      expect(keys.find({ ...use, scriptId: randomUUID() }, at(0))).toBeNull();
      expect(keys.find({ ...use, keyHash: 'HASH' }, at(0))).toBeNull();
      expect(keys.isHeld('run')).toBe(true);
    });

    it('ignores an expired key and allows its reuse', () => {
      const keys = open();
      const use = newUse();
      keys.put(use, { runId: 'old', usedAt: at(5), since: at(0) });
      expect(keys.find(use, at(5))?.runId).toBe('old');
      expect(keys.find(use, at(6))).toBeNull();
      keys.put({ ...use, bodyMac: 'new mac' }, { runId: 'new', usedAt: at(7), since: at(6) });
      expect(keys.find(use, at(6))).toEqual({ runId: 'new', bodyMac: 'new mac' });
      expect(keys.isHeld('old')).toBe(false);
    });

    it('deletes expired keys when new ones are stored', () => {
      const keys = open();
      const old = Array.from({ length: 50 }, (_, index) => `old ${index}`);
      for (const runId of old) keys.put(newUse(), { runId, usedAt: at(1), since: at(0) });
      const young = newUse();
      keys.put(young, { runId: 'young', usedAt: at(9), since: at(0) });
      for (let turn = 0; turn < 3; turn++) {
        keys.put(newUse(), { runId: `new ${turn}`, usedAt: at(10), since: at(5) });
      }
      expect(old.filter((runId) => keys.isHeld(runId))).toEqual([]);
      expect(keys.find(young, at(5))?.runId).toBe('young');
      expect(keys.isHeld('new 0')).toBe(true);
    });

    it('keeps the key of a run that has not ended, however old it is', () => {
      const { keys, begin, end } = openWithRuns();
      const use = newUse();
      begin('long');
      keys.put(use, { runId: 'long', usedAt: at(1), since: at(0) });
      keys.put(newUse(), { runId: 'new', usedAt: at(10), since: at(9) });
      expect(keys.find(use, at(9))?.runId).toBe('long');
      expect(keys.isHeld('long')).toBe(true);
      end('long');
      expect(keys.find(use, at(9))).toBeNull();
      keys.put(newUse(), { runId: 'newer', usedAt: at(10), since: at(9) });
      expect(keys.isHeld('long')).toBe(false);
    });

    it('releases the key of one run only', () => {
      const keys = open();
      const [one, other] = [newUse(), newUse()];
      keys.put(one, { runId: 'one', usedAt: at(5), since: at(0) });
      keys.put(other, { runId: 'other', usedAt: at(5), since: at(0) });
      keys.release('one');
      expect(keys.find(one, at(0))).toBeNull();
      expect(keys.isHeld('one')).toBe(false);
      expect(keys.find(other, at(0))?.runId).toBe('other');
    });
  });
}
