import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { startHob, tempFolder } from '../support/hob.ts';
import { findProgram, has, testPath } from '../support/needs.ts';
import { python, writeScript } from '../support/scripts.ts';

const javascript = (language: string) => `
import { readFileSync, writeFileSync } from 'node:fs';
const path = ${language === 'deno' ? 'Deno.args[0]' : 'process.argv[2]'};
const run = JSON.parse(readFileSync(path, 'utf8'));
console.log('hello from ${language}');
writeFileSync(run.environment.output_json, JSON.stringify({ code: 0, msg: '${language} 你好', values: run.data.items }));
`;

/** One real program per language. It prints, reads its parameter file, and writes its envelope. */
const programs: { language: string; needs: string; entry: [string, string] }[] = [
  {
    language: 'python',
    needs: 'python3',
    entry: python(
      'print("hello from python")\nwrite({"code": 0, "msg": "python 你好", "values": run["data"]["items"]})',
    ),
  },
  { language: 'node.js', needs: 'node', entry: ['main.mjs', javascript('node.js')] },
  {
    language: 'typescript',
    needs: 'node',
    entry: [
      'main.ts',
      `${javascript('typescript').replace('const path =', 'interface Run { data: { items: string[] } }\nconst path: string =')}\nexport type { Run };\n`,
    ],
  },
  {
    language: 'bun',
    needs: 'bun',
    entry: ['main.ts', javascript('bun').replace('const path =', 'const path: string =')],
  },
  {
    language: 'deno',
    needs: 'deno',
    entry: ['main.ts', javascript('deno').replace('const path =', 'const path: string =')],
  },
  {
    language: 'bash',
    needs: 'bash',
    entry: [
      'main.sh',
      `output=$(sed -n 's/.*"output_json": "\\(.*\\)",*/\\1/p' "$1"); echo "hello from bash"; [[ 1 == 1 ]] && echo '{"code":0,"msg":"bash 你好","values":["a b"]}' > "$output"`,
    ],
  },
  {
    language: 'sh',
    needs: 'sh',
    entry: [
      'main.sh',
      `output=$(sed -n 's/.*"output_json": "\\(.*\\)",*/\\1/p' "$1"); echo "hello from sh"; echo '{"code":0,"msg":"sh 你好","values":["a b"]}' > "$output"`,
    ],
  },
  {
    language: 'exe',
    needs: 'perl',
    entry: [
      'tool',
      `#!/usr/bin/env perl\nuse JSON::PP; local $/; open my $f, '<', $ARGV[0]; my $run = decode_json(<$f>); print "hello from exe\\n"; open my $o, '>', $run->{environment}{output_json}; print $o '{"code":0,"msg":"exe 你好","values":["a b"]}';`,
    ],
  },
  {
    language: 'ruby',
    needs: 'ruby',
    entry: [
      'main.rb',
      `require 'json'; run = JSON.parse(File.read(ARGV[0], encoding: 'utf-8')); puts 'hello from ruby'; File.write(run['environment']['output_json'], JSON.generate({ code: 0, msg: 'ruby 你好', values: run['data']['items'] }))`,
    ],
  },
  {
    language: 'perl',
    needs: 'perl',
    entry: [
      'main.pl',
      `use JSON::PP; local $/; open my $f, '<', $ARGV[0]; my $run = decode_json(<$f>); print "hello from perl\\n"; open my $o, '>', $run->{environment}{output_json}; print $o '{"code":0,"msg":"perl 你好","values":' . encode_json($run->{data}{items}) . '}';`,
    ],
  },
  {
    language: 'php',
    needs: 'php',
    entry: [
      'main.php',
      `<?php $run = json_decode(file_get_contents($argv[1]), true); echo "hello from php\\n"; file_put_contents($run['environment']['output_json'], json_encode(['code' => 0, 'msg' => 'php 你好', 'values' => $run['data']['items']]));`,
    ],
  },
  {
    language: 'lua',
    needs: 'lua',
    entry: [
      'main.lua',
      `local run = io.open(arg[1]):read('a'); print('hello from lua'); io.open(run:match('"output_json": *"(.-)"'), 'w'):write('{"code":0,"msg":"lua 你好","values":["a b"]}')`,
    ],
  },
  {
    language: 'powershell',
    needs: 'pwsh',
    entry: [
      'main.ps1',
      `$run = Get-Content -Raw $args[0] | ConvertFrom-Json; Write-Output 'hello from powershell'; @{ code = 0; msg = 'powershell 你好'; values = $run.data.items } | ConvertTo-Json | Set-Content $run.environment.output_json`,
    ],
  },
];

describe.each(programs)('a script in $language', ({ language, needs, entry }) => {
  const isHere = has(needs, findProgram(needs) !== null);

  it.skipIf(!isHere)('runs from a folder with a space and 中文 in its name', async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'my 脚本', {
      language,
      entry,
      tables: '[[service.inputs]]\nname = "items"\n',
    });
    const hob = await startHob({ scripts: [scripts] });
    const { body } = await hob.run(id, { data: ['a b'] });
    expect(body).toMatchObject({
      success: true,
      exit_code: 0,
      stdout: `hello from ${language}\n`,
      message: `${language} 你好`,
      result: { values: ['a b'] },
    });
  });
});

describe('a script whose language is missing', () => {
  it.each([
    { language: 'powershell', entry: 'main.ps1', says: /PowerShell/ },
    { language: 'ruby', entry: 'main.rb', says: /Ruby/ },
    { language: 'bat', entry: 'main.bat', says: /Windows/ },
    { language: 'autohotkey', entry: 'main.ahk', says: /Windows/ },
    { language: 'html', entry: 'index.html', says: /xdg-open/ },
  ])(
    '$language: the run is recorded as spawn-failed, and its envelope says what to install',
    async ({ language, entry, says }) => {
      const scripts = await tempFolder();
      const id = await writeScript(scripts, 'script', { language, entry: [entry, ''] });
      const empty = await tempFolder();
      const hob = await startHob({ scripts: [scripts], env: { PATH: empty } });
      const { body, headers } = await hob.post(
        '/api/execute',
        { script_id: id, sync: true },
        { 'accept-language': 'en' },
      );
      expect(body).toMatchObject({
        status: 'error',
        success: false,
        exit_code: -1,
        timed_out: false,
        stdout: '',
        result: { code: -1 },
      });
      expect(body.message).toMatch(says);
      const record = (await hob.get(`/api/runs/${headers.get('x-hob-run-id')}`)).body;
      expect(record).toMatchObject({
        state: 'failed',
        end_cause: 'spawn-failed',
        exit_code: -1,
        envelope: 'synthesized',
      });
    },
  );

  it('an entry that is not executable: the message says how to fix it', async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'script', { language: 'exe', entry: ['tool', '#!/bin/sh\n'] });
    await chmod(join(scripts, 'script', 'tool'), 0o644);
    const hob = await startHob({ scripts: [scripts] });
    expect((await hob.run(id)).body).toMatchObject({
      exit_code: -1,
      message: expect.stringContaining('chmod +x'),
    });
  });

  it('a program in `binaries` that is not on PATH is named', async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'script', {
      runtime: 'binaries = [{ name = "bash" }, { name = "ffmpeg-of-ours" }]',
    });
    const hob = await startHob({ scripts: [scripts] });
    expect((await hob.run(id)).body).toMatchObject({
      exit_code: -1,
      message: expect.stringContaining('ffmpeg-of-ours'),
    });
  });

  it('a Node script runs even if no node is on PATH, because Hob has one itself', async () => {
    const scripts = await tempFolder();
    const entry: [string, string] = ['main.cjs', 'console.log(require.main === module)'];
    const id = await writeScript(scripts, 'script', { language: 'node.js', entry });
    const hob = await startHob({ scripts: [scripts], env: { PATH: await tempFolder() } });
    expect((await hob.run(id)).body).toMatchObject({ exit_code: 0, stdout: 'true\n' });
  });
});

describe('language_version', () => {
  it('that no interpreter satisfies is refused with the existing versions', async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'script', {
      language: 'python',
      runtime: 'language_version = ">=99"',
      entry: python(''),
    });
    const hob = await startHob({ scripts: [scripts] });
    const { body } = await hob.post(
      '/api/execute',
      { script_id: id, sync: true },
      { 'accept-language': 'en' },
    );
    expect(body).toMatchObject({ exit_code: -1, result: { code: -1 } });
    expect(body.message).toMatch(/needs python >=99, but only 3\.\d+/);
  });

  it('takes the first interpreter that satisfies it, also a versioned one next to an older one', async () => {
    const scripts = await tempFolder();
    const bin = await tempFolder();
    const real = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], {
      env: { ...process.env, PATH: testPath },
    });
    // A Python that reports an older version, and a newer one under the name that Debian uses.
    await writeFile(
      join(bin, 'python3'),
      '#!/bin/sh\nif [ "$1" = -c ]; then echo 3.7.1; echo /nowhere; else exit 9; fi\n',
      { mode: 0o755 },
    );
    await symlink(String(real).trim(), join(bin, 'python3.99'));
    const id = await writeScript(scripts, 'script', {
      language: 'python',
      runtime: 'language_version = ">=3.8,<4"',
      entry: python('write({"code": 0, "msg": "%d.%d" % sys.version_info[:2]})'),
    });
    const hob = await startHob({ scripts: [scripts], env: { PATH: bin } });
    expect((await hob.run(id)).body).toMatchObject({ exit_code: 0, message: expect.stringMatching(/^3\./) });
  });
});

describe('a Python script', () => {
  it('is run by the .venv in its folder', async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'script', {
      language: 'python',
      entry: python('write({"code": 0, "msg": sys.prefix})'),
    });
    execFileSync('python3', ['-m', 'venv', '--without-pip', join(scripts, 'script', '.venv')]);
    const hob = await startHob({ scripts: [scripts] });
    expect((await hob.run(id)).body.message).toBe(join(scripts, 'script', '.venv'));
  });

  it('is started through the shim of a version manager only once', async () => {
    const scripts = await tempFolder();
    const bin = await tempFolder();
    const real = String(execFileSync('python3', ['-c', 'import sys; print(sys.executable)'])).trim();
    await mkdir(join(bin, 'shims'));
    await writeFile(
      join(bin, 'shims', 'python3'),
      `#!/bin/sh\necho shim >> ${bin}/calls\nexec ${real} "$@"\n`,
      { mode: 0o755 },
    );
    const id = await writeScript(scripts, 'script', {
      language: 'python',
      entry: python('write({"code": 0, "msg": "ok"})'),
    });
    const hob = await startHob({ scripts: [scripts], env: { PATH: `${join(bin, 'shims')}:/usr/bin:/bin` } });
    for (let index = 0; index < 3; index++) expect((await hob.run(id)).body.message).toBe('ok');
    expect(await readFile(join(bin, 'calls'), 'utf8')).toBe('shim\n');
  });
});

it('an html script opens the browser', async () => {
  const scripts = await tempFolder();
  const bin = await tempFolder();
  await writeFile(join(bin, 'xdg-open'), '#!/bin/sh\n[ $# = 1 ] || exit 9; echo "opened $1"\n', {
    mode: 0o755,
  });
  const id = await writeScript(scripts, 'my page', { language: 'html', entry: ['index.html', '<p>hi</p>'] });
  const hob = await startHob({ scripts: [scripts], env: { PATH: `${bin}:${testPath}` } });
  const { body } = await hob.run(id);
  expect(body.stdout).toMatch(/^opened file:\/\/\/.*my%20page\/index\.html\n$/);
});
