import { describe, expect, it } from 'vitest';

import type { JsonObject } from '../../shared/json.ts';
import { judgeWarm } from './check-service.ts';

const python = { language: 'python', path: '/usr/bin/python3.11', preload: [], waiting: 1 };
const warm: JsonObject = {
  hits: 120,
  misses: 10,
  memory_bytes: 34_000_000,
  budget_bytes: 256_000_000,
  short_of_memory: false,
  interpreters: [
    python,
    { ...python, preload: ['numpy', 'cv2'], waiting: 2 },
    { ...python, path: '/opt/idle/python3', waiting: 0 },
    { ...python, language: 'node.js', path: '/usr/bin/node' },
  ],
};

describe('the check of warm interpreters', () => {
  it('lists them, with their memory use and hits', () => {
    expect(judgeWarm(warm)).toMatchObject({
      state: 'ok',
      what: {
        en: 'Warm interpreters: 4 waiting ("python3.11", "python3.11 with numpy and cv2", "node"), 34.0 MB of 256 MB; warm starts: 120 of 130 eligible runs',
        zh: '预热的解释器：4 个待命（“python3.11”、“python3.11 带 numpy、cv2”、“node”），占用 34.0 MB（上限 256 MB）；130 次可预热的运行中有 120 次用上了',
      },
    });
  });

  it('reports that there are none yet', () => {
    expect(judgeWarm({ ...warm, hits: 0, misses: 0, memory_bytes: 0, interpreters: [] })).toMatchObject({
      state: 'ok',
      what: { en: 'Warm interpreters: none waiting, 0 B of 256 MB; no run could use one yet' },
    });
  });

  it('reports that they are disabled', () => {
    expect(judgeWarm({ ...warm, budget_bytes: 0, interpreters: [] })).toMatchObject({
      state: 'ok',
      what: { en: expect.stringContaining('disabled (warm_memory_mb is 0)') },
    });
  });

  it('gives a note while the machine is short of memory', () => {
    expect(judgeWarm({ ...warm, short_of_memory: true })).toMatchObject({
      state: 'note',
      what: { en: expect.stringContaining('short of memory') },
      next: { en: expect.stringContaining('memory') },
    });
  });
});
