import { describe, expect, it } from 'vitest';

import { explainFailure } from './explain-failure.ts';

describe('the output of a failed tool', () => {
  it.each([
    [
      'pip',
      'is offline',
      'WARNING: Retrying ... NewConnectionError(...): Failed to establish a new connection: [Errno -3] Temporary failure in name resolution\nERROR: No matching distribution found for x',
      'the package index cannot be reached',
    ],
    [
      'pip',
      'got a slow answer',
      'WARNING: ... Read timed out. (read timeout=15)\nERROR: Could not find a version that satisfies the requirement x==3 (from versions: 1.0, 2.0)\nERROR: No matching distribution found for x==3',
      'No version of the package matches: x==3',
    ],
    [
      'pip',
      'knows no such package',
      'ERROR: No matching distribution found for no-such',
      'No version of the package matches: no-such',
    ],
    [
      'pip',
      'cannot reach a repository',
      "  fatal: unable to access 'https://host/x.git/': Failed to connect to host port 443 after 0 ms: Couldn't connect to server\n  error: subprocess-exited-with-error\n  × git clone --quiet https://host/x.git /tmp/x did not run successfully.",
      'the package index cannot be reached',
    ],
    [
      'pip',
      'finds no repository',
      "  fatal: repository 'https://host/x.git/' not found\n  error: subprocess-exited-with-error\n  × git clone --quiet https://host/x.git /tmp/x did not run successfully.",
      "could not be fetched with git: repository 'https://host/x.git/' not found.",
    ],
    [
      'pip',
      'has no git',
      "ERROR: Cannot find command 'git' - do you have 'git' installed and in your PATH?",
      'apt install git',
    ],
    [
      'npm',
      'finds no repository',
      "npm error code 128\nnpm error An unknown git error occurred\nnpm error command git --no-replace-objects ls-remote file:///x.git\nnpm error fatal: '/x.git' does not appear to be a git repository",
      "could not be fetched with git: '/x.git' does not appear to be a git repository.",
    ],
    [
      'pip',
      'finds a conflict',
      'ERROR: ResolutionImpossible: for help visit',
      'have conflicting requirements',
    ],
    [
      'pip',
      'cannot compile',
      "  error: command '/usr/bin/gcc' failed with exit code 1\n  ERROR: Failed building wheel for lxml",
      'The package lxml must be compiled',
    ],
    [
      'pip',
      'has no room',
      'ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device',
      'The disk is full',
    ],
    [
      'pip',
      'is not trusted',
      'SSLError(SSLCertVerificationError(1, "[SSL: CERTIFICATE_VERIFY_FAILED]"))',
      'the certificate of the package index',
    ],
    [
      'uv',
      'is offline',
      'error: Failed to fetch: `https://pypi.org/simple/x/`\n  Caused by: error sending request for url\n  Caused by: dns error',
      'the package index cannot be reached',
    ],
    [
      'uv',
      'knows no such package',
      '  × No solution found when resolving dependencies:\n  ╰─▶ Because x was not found in the package registry',
      'No version of the package matches: x',
    ],
    [
      'pip',
      'finds an invalid line',
      "ERROR: Invalid requirement: 'requests 2.31' (from line 2 of requirements.txt)",
      '"requests 2.31" is not a valid requirement',
    ],
    [
      'pip',
      'cannot open an included file',
      "ERROR: Could not open requirements file: [Errno 2] No such file or directory: 'gone.txt'",
      'The file gone.txt does not exist',
    ],
    [
      'pip',
      'finds no folder',
      "ERROR: Invalid requirement: './gone' (from line 1 of requirements.txt)\nHint: It looks like a path. File './gone' does not exist.",
      'No such file or folder: ./gone',
    ],
    [
      'uv',
      'cannot open an included file',
      'error: File not found: `gone.txt`',
      'The file gone.txt does not exist',
    ],
    [
      'npm',
      'is offline',
      'npm error code EAI_AGAIN\nnpm error request to https://registry.npmjs.org/x failed',
      'the package registry cannot be reached',
    ],
    [
      'npm',
      'knows no such version',
      'npm error code ETARGET\nnpm error notarget No matching version found for is-odd@99.\nnpm error notarget In most cases',
      'matches: is-odd@99',
    ],
    [
      'npm',
      'finds a conflict',
      'npm error code ERESOLVE\nnpm error ERESOLVE unable to resolve dependency tree',
      'have conflicting requirements',
    ],
    ['npm', 'cannot compile', 'npm error gyp ERR! build error', 'must be compiled on this machine'],
    [
      'npm',
      'finds an old lock',
      'npm error code EUSAGE\nnpm error `npm ci` can only install packages when your package.json and package-lock.json are in sync.',
      'The lock file does not match',
    ],
    [
      'npm',
      'gets another file',
      'npm error code EINTEGRITY\nnpm error sha512-x integrity checksum failed',
      'does not match the lock file or the hashes',
    ],
  ] as const)('shows that %s %s', (tool, _what, output, sentence) => {
    const { en, zh } = explainFailure(tool, output);
    expect(en).toContain(sentence);
    expect(zh).toMatch(/[\u4e00-\u9fff]/);
  });

  it('is quoted if its cause is unknown, without colours, hints and passwords', () => {
    const output =
      '\u001b[31mERROR: https://me:secret@host/simple is odd\u001b[0m\n[notice] A new release of pip is available\n';
    expect(explainFailure('pip', output).en).toBe('pip failed: ERROR: https://***@host/simple is odd');
    expect(
      explainFailure('npm', 'npm error odd things\nnpm error A complete log of this run can be found in: /x')
        .en,
    ).toBe('npm failed: odd things');
    expect(explainFailure('uv', '').zh).toBe('uv 执行失败');
  });
});
