import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { tempFolder } from '../../../test/support/hob.ts';
import { Findings } from './findings.ts';
import { RequirementsReader, withoutPassword } from './requirements-file.ts';

/** Reads a requirements file with this text in a new folder. `looked` lists the paths that it names. */
async function read(text: string) {
  const folder = await tempFolder();
  const file = join(folder, 'requirements.txt');
  await writeFile(file, text);
  const findings = new Findings(folder);
  const reader = new RequirementsReader(findings);
  await reader.readFile(file);
  const looked = [...findings.looked].filter((path) => path !== file);
  return {
    requirements: reader.requirements,
    looked: looked.map((path) => (path === folder ? '/here' : path.replace(`${folder}/`, '/here/'))),
    problems: findings.problems,
  };
}

describe('the lines of a requirements file', () => {
  it('are read as pip reads them', async () => {
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
    expect(await read(text)).toEqual({
      requirements: [
        'requests[socks] >= 2.31 ; python_version > "3.8"',
        'pinned==1.0',
        '-r more.txt',
        '-c more/limits.txt',
        '-r other.txt',
        '-e ./lib',
        'plain#egg',
      ],
      looked: ['/here/my wheels', '/here/more.txt', '/here/more/limits.txt', '/here/other.txt', '/here/lib'],
      problems: [],
    });
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
  ])('contain the path in %j', async (requirement, path) => {
    expect((await read(requirement)).looked).toEqual(path === null ? [] : [path]);
  });

  it('name the line of a path outside the folder', async () => {
    const { problems } = await read('a\n\n/there/x.whl\n-r https://me:secret@host/more.txt\n');
    expect(problems.map(({ severity, line, message }) => [severity, line, message.en])).toEqual([
      ['note', 3, '/there/x.whl is outside the folder of the script'],
      ['note', 4, 'Every build reads https://***@host/more.txt again'],
    ]);
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
    'requests 2.31',
    '=1',
    '!!',
    'a b',
    'pip install x',
    '[project]',
  ])('are left to the tool to judge, such as %j', async (text) => {
    expect(await read(text)).toMatchObject({ requirements: [text], problems: [] });
  });

  it('are shown without the passwords in addresses', () => {
    expect(withoutPassword('x @ https://me:secret@host/x.whl')).toBe('x @ https://***@host/x.whl');
    expect(withoutPassword('x @ https://me:sec@ret@host/x.whl')).toBe('x @ https://***@host/x.whl');
    expect(withoutPassword('x @ git+https://host/x.git@main')).toBe('x @ git+https://host/x.git@main');
  });
});
