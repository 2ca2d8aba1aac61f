import { expect, it } from 'vitest';

import { describeTriggers } from './describe-triggers.ts';

it('says that no trigger is in force if the file was broken from the start', () => {
  const problems = [{ file: '/home/ada/triggers.toml', line: 3, message: 'Not TOML', advice: 'Correct it.' }];
  const text = describeTriggers({ items: [], suggestions: [], problems, file: '', next: null });
  expect(text).toMatch(/^\/home\/ada\/triggers\.toml:3 .* Not TOML\n {4}Correct it\.\n/);
  expect(text).toMatch(/\nNo trigger is in force until the file is corrected\.\n$/);
  expect(text).not.toContain('There are no triggers yet');
});
