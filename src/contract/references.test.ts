import { expect, it } from 'vitest';

import { resolveReferences } from './references.ts';

const leaf = { type: 'string' };

it('references are replaced by what they name, at any depth', () => {
  const document = {
    paths: { a: [{ $ref: '#/components/Pair', note: 'kept' }] },
    components: {
      Pair: { left: { $ref: '#/components/Leaf' }, right: { $ref: '#/components/Leaf' } },
      Leaf: leaf,
    },
  };
  expect(resolveReferences(document)).toMatchObject({
    paths: { a: [{ left: leaf, right: leaf, note: 'kept' }] },
  });
});

it('a part that contains itself is replaced once', () => {
  const node = { description: 'A node.', children: { $ref: '#/components/Node' } };
  expect(
    resolveReferences({ root: { $ref: '#/components/Node' }, components: { Node: node } }),
  ).toMatchObject({
    root: { description: 'A node.', children: { description: 'A node.' } },
  });
});

it('a reference to nothing is an empty object', () => {
  expect(resolveReferences({ a: { $ref: '#/components/None' } })).toEqual({ a: {} });
});
