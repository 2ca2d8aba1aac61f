import { expect, it } from 'vitest';

import type { Model } from '../../contract/types.ts';
import { describeModels } from './model.ts';

const model: Model = {
  repo_id: 'acme/tiny',
  source: 'huggingface',
  place: 'huggingface',
  folder: '/cache/tiny',
  revision: null,
  size_bytes: 2_900_000_000,
  state: 'complete',
  is_used: true,
  is_removable: true,
  needed_by: [],
};
const items: Model[] = [
  {
    ...model,
    needed_by: [
      { script_id: '1', script_name: '图片放大' },
      { script_id: '2', script_name: 'b\u001b' },
    ],
  },
  { ...model, place: 'own', is_used: false },
  { ...model, repo_id: 'acme/a-longer-name', size_bytes: 5, state: 'partial', is_used: false },
  { ...model, repo_id: 'acme/none', place: null, state: 'missing', size_bytes: 0, folder: null },
];

it('formats the list of models as a table', () => {
  expect(
    describeModels({ items, next: null }),
  ).toBe(`MODEL               PLACE          SIZE  STATE               NEEDED BY
acme/tiny           huggingface  2.9 GB  complete            图片放大, b?
acme/tiny           own          2.9 GB  complete, not used
acme/a-longer-name  huggingface     5 B  partial
acme/none           -                 -  missing

3 models, 5.8 GB; 1 missing
`);
});

it('cuts the list of models to the width of a terminal, between characters', () => {
  const [, first] = describeModels({ items, next: null }, 69).split('\n');
  expect(first).toBe('acme/tiny           huggingface  2.9 GB  complete            图片...');
});

it('says how to download a model if there is none', () => {
  expect(describeModels({ items: [], next: null })).toContain('hob model pull');
});
