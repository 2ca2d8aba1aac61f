import { describe, expect, it } from 'vitest';

import { isRequirement, localPathOf, readRequirementLines, withoutPassword } from './requirement-lines.ts';

describe('the lines of a requirements file', () => {
  it('are read as pip reads them', () => {
    const text = [
      '# a comment',
      '--no-index --find-links "./my wheels"',
      'requests[socks] >= 2.31 ; python_version > "3.8"  # why',
      'pinned==1.0 \\',
      '    --hash=sha256:aa \\',
      '    --hash=sha256:bb',
      '-r more.txt',
      '-cmore/limits.txt\r',
      '--requirement=other.txt',
      '-e ./lib',
      'plain#egg',
    ].join('\n');
    expect(readRequirementLines(text).map(({ line, kind, text: value }) => [line, kind, value])).toEqual([
      [2, 'option', '--no-index'],
      [2, 'find-links', './my wheels'],
      [3, 'requirement', 'requests[socks] >= 2.31 ; python_version > "3.8"'],
      [4, 'requirement', 'pinned==1.0'],
      [7, 'include', 'more.txt'],
      [8, 'constraint', 'more/limits.txt'],
      [9, 'include', 'other.txt'],
      [10, 'editable', './lib'],
      [11, 'requirement', 'plain#egg'],
    ]);
  });

  it.each([
    ['./lib', '/here/lib'],
    ['.', '/here'],
    ['./lib[extra]', '/here/lib'],
    ['wheels/x-1.0-py3-none-any.whl', '/here/wheels/x-1.0-py3-none-any.whl'],
    ['x @ file:///there/x.whl', '/there/x.whl'],
    ['x @ file:///there/a%20b.whl ; os_name == "posix"', '/there/a b.whl'],
    ['/there/x.tar.gz', '/there/x.tar.gz'],
    ['libs/mine', '/here/libs/mine'],
    ['mine/ ; os_name == "posix"', '/here/mine'],
    ['x @ file:libs/a%20b.whl', '/here/libs/a b.whl'],
    ['file:/there/x.whl#egg=x', '/there/x.whl'],
    ['requests', null],
    ['x.y-z==1.0', null],
    ['https://host/x.whl', null],
    ['x @ git+https://host/x.git@main', null],
  ])('contain the path in %j', (requirement, path) => {
    expect(localPathOf(requirement, '/here')).toBe(path);
  });

  it.each([
    'requests',
    'a',
    'a.b-c_d[e,f]~=1.0',
    'a (>=1)',
    'a>=1,<2;python_version<"4"',
    'a@ https://x/y.whl',
    'git+ssh://x/y',
    `\${INDEX}/x`,
    './lib',
  ])('may be %j', (text) => {
    expect(isRequirement(text)).toBe(true);
  });

  it.each(['requests 2.31', '-', '=1', '!!', 'a b', 'pip install x', '[project]'])('cannot be %j', (text) => {
    expect(isRequirement(text)).toBe(false);
  });

  it('are shown without the passwords in addresses', () => {
    expect(withoutPassword('x @ https://me:secret@host/x.whl')).toBe('x @ https://***@host/x.whl');
    expect(withoutPassword('x @ https://me:sec@ret@host/x.whl')).toBe('x @ https://***@host/x.whl');
    expect(withoutPassword('x @ git+https://host/x.git@main')).toBe('x @ git+https://host/x.git@main');
  });
});
