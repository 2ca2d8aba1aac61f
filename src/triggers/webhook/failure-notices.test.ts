import { expect, it } from 'vitest';
import type { WebhookTrigger } from '../trigger.ts';
import { FailureNotices } from './failure-notices.ts';

const trigger = (id: string): WebhookTrigger => ({
  kind: 'webhook',
  id,
  script: 'deploy',
  scriptId: 'a4d1a0e4-6a40-4d18-9a2c-0c3c2f4a4a11',
  data: undefined,
  params: {},
  retries: undefined,
  valuesProblem: null,
  signature: 'github',
  into: 'event',
  secret: 'mine',
});

it('notifies once when three runs in a row fail, and again only after a success', () => {
  const shown: string[] = [];
  const notices = new FailureNotices((text, { id }) => shown.push(`${id}: ${text.en}`));
  const [a, b] = [trigger('a'), trigger('b')];
  const note = (one: WebhookTrigger, ...ends: boolean[]) => ends.map((end) => notices.note(one, end));
  note(a, false, false, true, false, false);
  note(b, false);
  expect(shown).toEqual([]);
  note(a, false, false, false, false);
  expect(shown).toEqual([
    'a: The webhook "a" failed 3 times in a row. To see its deliveries: hob triggers slots a',
  ]);
  note(a, true, false, false, false);
  expect(shown).toHaveLength(2);
  note(b, false);
  notices.keepOnly(new Set(['a']));
  note(b, false, false);
  expect(shown).toHaveLength(2);
});
