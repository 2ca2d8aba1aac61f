import { expect, it } from 'vitest';

import { describeDuration } from './describe-duration.ts';

it.each([
  [0, '0 ms', '0 毫秒'],
  [999, '999 ms', '999 毫秒'],
  [1000, '1.0 s', '1.0 秒'],
  [59_960, '59.9 s', '59.9 秒'],
  [60_000, '1 min 0 s', '1 分 0 秒'],
  [3_599_999, '59 min 59 s', '59 分 59 秒'],
  [3_600_000, '1 h 0 min', '1 小时 0 分'],
  [360_000_000, '100 h 0 min', '100 小时 0 分'],
])('%i ms are formatted as %s', (ms, en, zh) => {
  expect(describeDuration(ms)).toEqual({ en, zh });
});
