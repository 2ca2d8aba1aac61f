import { readFileSync } from 'node:fs';

import { expect, it } from 'vitest';

import { descriptionOf, titleOf } from './operation-words.ts';
import { type Operation, readDocument } from './read-document.ts';

const file = new URL('../../../schema/openapi.json', import.meta.url);
const operations = readDocument(JSON.parse(readFileSync(file, 'utf8')));
const english = (en: string) => en;
const chinese = (_en: string, zh: string) => zh;
const nameOf = ({ method, path }: Operation) => `${method} ${path}`;
const isChinese = (text: string) => /\p{Script=Han}/u.test(text);

it('every operation has a Chinese title, and a Chinese description if it has an English one', () => {
  expect(operations.length).toBeGreaterThan(40);
  expect(operations.filter((each) => !isChinese(titleOf(each, chinese))).map(nameOf)).toEqual([]);
  const described = operations.filter(({ description }) => description !== '');
  expect(described.filter((each) => !isChinese(descriptionOf(each, chinese))).map(nameOf)).toEqual([]);
});

it('the code in a description is the same in both languages', () => {
  const codeIn = (text: string) => (text.match(/`[^`<]+`/g) ?? []).toSorted();
  for (const each of operations)
    expect([nameOf(each), ...codeIn(descriptionOf(each, chinese))]).toEqual([
      nameOf(each),
      ...codeIn(descriptionOf(each, english)),
    ]);
});
