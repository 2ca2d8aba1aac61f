import { describe, expect, it } from 'vitest';

import { KeyLocator, type KeyPath } from './locate-keys.ts';

const text = `# comment
top = 1

[service.info]
id = "x"
"quoted key" = 2
nested.deep.key = 3

[service.runtime] # comment
env = { A = "1", B = { c = 2 } }
binaries = [
  { name = "a" },
  # comment
  { name = "b", more = [1,
    2] },
]
long = """
several
lines
"""
after = 1

[[service.params]]
name = "first"

[[service.params]]
name = "second"

[service.params.when]
field = "first"

[[service.params.items]]
x = 1

[[service.params.items]]
x = 2

[service."ключ 键"]
"值" = 1
`;

const places: [KeyPath, number][] = [
  [['top'], 2],
  [['service'], 4],
  [['service', 'info'], 4],
  [['service', 'info', 'id'], 5],
  [['service', 'info', 'quoted key'], 6],
  [['service', 'info', 'nested', 'deep', 'key'], 7],
  [['service', 'info', 'nested', 'deep'], 7],
  [['service', 'runtime'], 9],
  [['service', 'runtime', 'env'], 10],
  [['service', 'runtime', 'env', 'A'], 10],
  [['service', 'runtime', 'env', 'B', 'c'], 10],
  [['service', 'runtime', 'binaries'], 11],
  [['service', 'runtime', 'binaries', 0], 12],
  [['service', 'runtime', 'binaries', 0, 'name'], 12],
  [['service', 'runtime', 'binaries', 1], 14],
  [['service', 'runtime', 'binaries', 1, 'more', 0], 14],
  [['service', 'runtime', 'binaries', 1, 'more', 1], 15],
  [['service', 'runtime', 'long'], 17],
  [['service', 'runtime', 'after'], 21],
  [['service', 'params'], 23],
  [['service', 'params', 0], 23],
  [['service', 'params', 0, 'name'], 24],
  [['service', 'params', 1], 26],
  [['service', 'params', 1, 'name'], 27],
  [['service', 'params', 1, 'when'], 29],
  [['service', 'params', 1, 'when', 'field'], 30],
  [['service', 'params', 1, 'items', 0, 'x'], 33],
  [['service', 'params', 1, 'items', 1], 35],
  [['service', 'params', 1, 'items', 1, 'x'], 36],
  [['service', 'ключ 键'], 38],
  [['service', 'ключ 键', '值'], 39],
];

describe('the line of a key', () => {
  it.each(places)('is found for %j', (path, line) => {
    expect(new KeyLocator(text).lineOf(path)).toBe(line);
  });

  it.each(places)('is found for %j in a file with Windows line endings', (path, line) => {
    expect(new KeyLocator(text.replaceAll('\n', '\r\n')).lineOf(path)).toBe(line);
  });

  it('is the line of the nearest enclosing table if the key is missing', () => {
    const locator = new KeyLocator(text);
    expect(locator.lineOf(['service', 'info', 'name'])).toBe(4);
    expect(locator.lineOf(['service', 'params', 0, 'type'])).toBe(23);
    expect(locator.lineOf(['service', 'params', 1, 'when', 'eq'])).toBe(29);
    expect(locator.lineOf(['service', 'models', 0, 'source'])).toBe(4);
    expect(locator.lineOf(['service', 'runtime', 'env', 'none'])).toBe(10);
  });

  it('is null if no enclosing table exists either', () => {
    expect(new KeyLocator(text).lineOf(['other', 'info'])).toBeNull();
    expect(new KeyLocator('').lineOf(['service'])).toBeNull();
    expect(new KeyLocator(text).lineOf([])).toBeNull();
  });

  it('is null in a file that cannot be parsed', () => {
    expect(new KeyLocator('[broken').lineOf(['broken'])).toBeNull();
  });

  it('is found quickly in a file with a very long key', () => {
    const endless = `${Array(100_000).fill('a').join('.')} = 1\nb = 2\n`;
    expect(new KeyLocator(endless).lineOf(['b'])).toBe(2);
  });
});
