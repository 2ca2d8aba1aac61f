import { expect, it } from 'vitest';

import { HobError } from '../api/hob.ts';
import type { Say } from '../language/language.tsx';
import { messageOf } from './failure.tsx';

const inChinese: Say = (_, zh) => zh;

it.each([
  ['no-message', 'Hob responded with status 502.', 'Hob 返回了状态码 502。'],
  ['not-hob', 'The answer is not JSON.', '响应不是 JSON，因此不是来自 Hob。'],
  ['params-invalid', '参数无效', '参数无效'],
])('an error with the code %s is shown in the language of the console', (code, message, shown) => {
  expect(messageOf(new HobError(message, { code, status: 502 }), inChinese)).toBe(shown);
});
