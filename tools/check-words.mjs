import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

import { root } from './lib/prepare.mjs';

/**
 * `npm run words [-- file ...]`: finds sentences in pages, comments and test titles that are hard to read. Each rule proves itself first:
 * it must detect its own bad example and accept its good one.
 */
const rules = [
  {
    name: 'clause-as-subject',
    pattern:
      /^(?:What|Who|Whoever|Whatever|Whichever|Those|That which|One that|Ones that|Of (?:what|those|these))\b(?! happens)(?=.*[.:]$|(?: \S+){4})(?!.*\?$)/,
    advice: 'Begin with the noun that acts: "A queued run that is cancelled ends".',
    bad: 'What cannot be read is left out.',
    good: 'What does a run cost?',
  },
  {
    name: 'indefinite-person',
    pattern: /\b(?:nobody|somebody|everybody|anybody|whoever|whomever)\b/i,
    advice: 'Name the process, the caller or the user.',
    bad: 'It waits until somebody reads it.',
    good: 'It waits until a client reads it.',
  },
  {
    name: 'indefinite-thing',
    pattern: /^(?:Everything|Something|Whatever)\b(?!.*\?$)/,
    advice: 'Name the thing.',
    bad: 'Everything is ended with it.',
    good: 'All processes of the run end with it.',
  },
  {
    name: 'unusual-word',
    pattern: /\b(?:anew|manieth|whence|thereof|therein|hitherto|heretofore|lest|ere)\b/i,
    advice: 'Use an everyday word.',
    bad: 'The service begins anew.',
    good: 'The service starts again.',
  },
  {
    name: 'vague-passive',
    pattern:
      /\b(?:is|are|was|were|be|been|being) (?:told|had|looked at|taken along|seen to|gone by|meant by|spoken to)\b(?! to\b)|\bcan be had\b/i,
    advice: 'Say who does it: "The service reports the error to the client".',
    bad: 'The caller is told of it.',
    good: 'The service reports it to the caller.',
  },
  {
    name: 'translated-phrase',
    pattern:
      /\b(?:all the same|of (?:its|their) own accord|by the way|is like that|written wrongly|no more than that)\b/i,
    advice: 'Use a plain phrase or delete it.',
    bad: 'It goes on all the same.',
    good: 'It continues.',
  },
];

const unproven = rules.filter(
  ({ name, bad, good }) => !findIn(bad).some(({ rule }) => rule.name === name) || findIn(good).length > 0,
);
const planted = [
  ['page.md', 'Text.\n\nWhat fails\nis retried.', 3],
  ['code.ts', 'const a = 1;\n// It stays. Those that\n// wait are kept.\n', 2],
  ['code.ts', '/**\n * Stays.\n *\n * Somebody waits.\n */', 4],
  ['code.test.ts', "it('waits until nobody reads', () => {});", 1],
  ['code.py', 'a = 1  # told anew', 1],
];
const unseen = planted.filter(([path, text, line]) => placesIn(path, text)[0]?.line !== line);
for (const { name } of unproven) console.error(`${name}: does not tell its bad example from its good one`);
for (const [path, text] of unseen) console.error(`${path}: a planted sentence was not found: ${text}`);

const given = process.argv.slice(2);
const paths =
  given.length > 0 ? given : execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n');
let files = 0;
let found = 0;
for (const path of paths.filter(isChecked)) {
  files++;
  for (const { line, sentence, rule } of placesIn(path, readFileSync(join(root, path), 'utf8'))) {
    found++;
    console.error(`${path}:${line}: ${rule.name}: ${sentence}\n  ${rule.advice}`);
  }
}
if (files === 0) console.error('The check found no files.');
console.log(`words: ${files} files, ${rules.length} rules, ${found} sentences to rewrite`);
process.exit(found + unproven.length + unseen.length > 0 || files === 0 ? 1 : 0);

function isChecked(path) {
  return (
    /\.(?:md|[cm]?[jt]sx?|py|sh)$/.test(path) &&
    path !== 'tools/check-words.mjs' &&
    !/zh-CN|^test\/equivalence\/.*\/|^test\/upgrades\//.test(path)
  );
}

function placesIn(path, text) {
  return passagesIn(path, text).flatMap(({ line, lines }) =>
    findIn(lines.join('\n')).map(({ at, sentence, rule }) => ({ line: line + at, sentence, rule })),
  );
}

/** Returns every sentence of a passage that breaks a rule, with the line of the passage where it begins. */
function findIn(passage) {
  const found = [];
  for (const match of passage.matchAll(/\S[\s\S]*?(?:[.!?:](?=\s|$)|\n\s*\n|$)/g)) {
    const sentence = match[0].replace(/\s+/g, ' ').trim();
    const rule = rules.find(({ pattern }) => pattern.test(sentence));
    if (rule) found.push({ at: passage.slice(0, match.index).split('\n').length - 1, sentence, rule });
  }
  return found;
}

/** Returns the prose of a file: paragraphs of a page; comments and test titles of code. */
function passagesIn(path, text) {
  const lines = text.split('\n');
  if (extname(path) === '.md') return paragraphsOf(lines);
  const mark = /\.(?:py|sh)$/.test(path) ? /(?:^|\s)#+ (.*)/ : /(?:^|\s)(?:\/\/|\/\*\*?|\*) ?(.*)/;
  const comments = lines.map((line) => {
    const comment = mark.exec(line)?.[1];
    if (comment === undefined) return null;
    return { text: comment.replace(/\s*\*\/.*$/, ''), begins: !/^\s*(?:\/\/|\*|#)/.test(line) };
  });
  const titles = lines.flatMap((line, index) => {
    const title = /\b(?:it|test|describe)\b.*?\(\s*(['"`])(.*?)\1/.exec(line)?.[2];
    return title === undefined ? [] : [{ line: index + 1, lines: [title] }];
  });
  return [...joined(comments), ...titles];
}

function paragraphsOf(lines) {
  let isCode = false;
  return joined(
    lines.map((line) => {
      if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode;
      if (isCode || line.trim() === '' || line.startsWith('#')) return null;
      const text = line
        .replace(/^\s*(?:[-*+>]+|\d+\.)\s*/, '')
        .replaceAll('**', '')
        .replaceAll('|', '\n\n');
      return { text, begins: /^\s*(?:[-*+|>]|\d+\.)/.test(line) };
    }),
  );
}

/** Joins adjacent lines of prose into passages. Null is a line without prose. */
function joined(lines) {
  const passages = [];
  for (const [index, prose] of lines.entries()) {
    if (prose === null) continue;
    if (prose.begins || (lines[index - 1] ?? null) === null) passages.push({ line: index + 1, lines: [] });
    passages.at(-1).lines.push(withoutCode(prose.text));
  }
  return passages;
}

function withoutCode(line) {
  return line.replace(/`[^`]*`/g, 'X').replace(/"[^"]*"/g, 'X');
}
