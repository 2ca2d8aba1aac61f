import { describe, expect, it } from 'vitest';

import { AppError } from '../../shared/errors.ts';
import { parseSource } from './parse-source.ts';

function refusal(...args: Parameters<typeof parseSource>): AppError {
  try {
    parseSource(...args);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error(`${args[0]} was not refused`);
}

describe('parseSource accepts', () => {
  it.each([
    ['/home/ada/my script', 'folder', '/home/ada/my script'],
    ['/home/ada/../bob/脚本/', 'folder', '/home/bob/脚本'],
    ['/home/ada/package.ZIP', 'archive', '/home/ada/package.ZIP'],
    ['/home/ada/p#1.tar.gz', 'archive', '/home/ada/p#1.tar.gz'],
    ['/home/ada/p.tgz', 'archive', '/home/ada/p.tgz'],
    ['/home/ada/repo.git', 'git', '/home/ada/repo.git'],
    ['file:///home/ada/repo', 'git', 'file:///home/ada/repo'],
    ['https://example.org/ada/repo', 'git', 'https://example.org/ada/repo'],
    ['HTTPS://example.org/ada/repo.git', 'git', 'HTTPS://example.org/ada/repo.git'],
    ['ssh://git@example.org:2222/ada/repo', 'git', 'ssh://git@example.org:2222/ada/repo'],
    ['git@example.org:ada/repo', 'git', 'git@example.org:ada/repo'],
    ['git://example.org/repo', 'git', 'git://example.org/repo'],
  ])('%s: a source of kind %s', (text, kind, location) => {
    expect(parseSource(text)).toEqual({ kind, location, ref: null, path: null });
  });

  it('a relative path only if a base is given', () => {
    expect(parseSource('./a/b', { base: '/home/ada' })).toMatchObject({
      kind: 'folder',
      location: '/home/ada/a/b',
    });
    expect(parseSource('repo.git#main', { base: '/x' })).toMatchObject({
      location: '/x/repo.git',
      ref: 'main',
    });
    expect(refusal('a/b').text.en).toBe('"a/b" is a relative path');
  });

  it('a branch, tag or commit after a #, or as an option', () => {
    expect(parseSource('https://example.org/r#v1.0')).toMatchObject({
      location: 'https://example.org/r',
      ref: 'v1.0',
    });
    expect(parseSource('https://example.org/r', { ref: 'feature/中文' })).toMatchObject({
      ref: 'feature/中文',
    });
    expect(parseSource('https://example.org/r#', {})).toMatchObject({ ref: null });
    expect(refusal('https://example.org/r#a', { ref: 'b' }).text.en).toContain('Two refs');
    expect(refusal('/home/ada/folder', { ref: 'main' }).text.en).toContain('is not a git repository');
  });

  it('a folder inside the source, but not outside it', () => {
    expect(parseSource('/a', { path: 'scripts\\one/' })).toMatchObject({ path: 'scripts/one' });
    expect(parseSource('/a', { path: '.' })).toMatchObject({ path: null });
    expect(refusal('/a', { path: '../b' }).code).toBe('package-source-invalid');
  });
});

describe('parseSource refuses', () => {
  it.each([
    ['', 'The source is missing'],
    ['--upload-pack=touch /tmp/evil', 'is not a source that Hob can install from'],
    ['-u', 'is not a source that Hob can install from'],
    ['ext::sh -c touch% /tmp/evil', 'is not a source that Hob can install from'],
    ['fd::17', 'is not a source that Hob can install from'],
    ['ftp://example.org/repo', 'is not a source that Hob can install from'],
    ['javascript://example.org/repo', 'is not a source that Hob can install from'],
    ['ssh://-oProxyCommand=evil/repo', 'is not the address of a git repository'],
    ['-oProxyCommand=evil@host:repo.git', 'is not the address of a git repository'],
    ['git@-oProxyCommand=evil:repo', 'is not the address of a git repository'],
    ['https://example.org/a\nb', 'is not the address of a git repository'],
    ['/home/ada/a\0b', 'is not a source that Hob can install from'],
    ['https://[broken/repo', 'is not a valid address'],
    ['file://elsewhere/home/ada/repo.git', 'is not a valid address'],
    ['file:///home/ada%2Frepo.git', 'is not a valid address'],
    ['https://example.org/package.zip', 'Hob does not download'],
    ['https://example.org/package.tar.gz', 'Hob does not download'],
    ['https://example.org/package.zip?raw=1', 'Hob does not download'],
  ])('%s', (text, why) => {
    const error = refusal(text, { base: '/home' });
    expect(error.code).toBe('package-source-invalid');
    expect(error.text.en).toContain(why);
    expect(error.hint?.zh).toBeTruthy();
  });

  it.each([
    '--upload-pack=evil',
    '-x',
    '+force',
    'a..b',
    'a b',
    'main:evil',
    'a^',
    'HEAD~1',
    'x.lock',
    '@{1}',
    'a\nb',
    '*',
    '/a',
    'a/',
  ])('the ref %s', (ref) => {
    expect(refusal('https://example.org/r', { ref }).text.en).toContain(
      'is not a valid name of a branch, tag or commit',
    );
  });
});

describe('a password in an address', () => {
  it('is neither stored nor quoted in the error', () => {
    const error = refusal('https://ada:s3cret@example.org/repo.git');
    expect(error.text.en).toContain('"https://example.org/repo.git"');
    expect(JSON.stringify([error.message, error.text, error.hint])).not.toContain('s3cret');
  });

  it('may be in place of the user name, so web addresses are stored without it', () => {
    expect(parseSource('https://s3cret@example.org/repo.git').location).toBe('https://example.org/repo.git');
    expect(parseSource('https://s3cret@evil@example.org/repo').location).toBe('https://example.org/repo');
    expect(parseSource('https://s3"cret@example.org/repo').location).toBe('https://example.org/repo');
  });

  it('is not quoted when the address is invalid for another reason', () => {
    for (const address of [
      'https://ada:s3cret@[broken',
      'https://ada:p/s3cret@example.org/x',
      'https://ada:s3cret@example.org/p.zip',
      'ftp://ada:s3cret@example.org/',
      'https://ada:s3cret@example.org/a\nb',
      "https://ada:s3cret'@example.org/repo.git",
    ]) {
      expect(JSON.stringify(refusal(address).text)).not.toContain('s3cret');
    }
  });
});
