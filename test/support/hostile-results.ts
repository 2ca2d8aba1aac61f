export interface ResultCase {
  readonly name: string;
  /** The content of the result file. */
  readonly content?: string | Buffer;
  /** Bash commands that run instead; `$output` is the path of the result file. */
  readonly act?: string;
  /** The returned envelope. If absent, Hob synthesizes one with code -3. */
  readonly expected?: { readonly code: number; readonly [key: string]: unknown };
}

const good = '{"code":0,"msg":"ok"}';
const goodEnvelope = { code: 0, msg: 'ok' };
const isRoot = process.getuid?.() === 0;
const mib = 1024 * 1024;

/** Result files of every kind that a faulty or malicious script can leave. */
export function hostileResults(): ResultCase[] {
  return [...files(), ...encodings(), ...documents(), ...codes(), ...messages(), ...prototypes(), ...sizes()];
}

function files(): ResultCase[] {
  return [
    { name: 'no file', act: ':' },
    { name: 'empty', content: '' },
    { name: 'a folder', act: 'mkdir "$output"' },
    { name: 'a pipe', act: 'mkfifo "$output"' },
    { name: 'a pipe with a writer', act: 'mkfifo "$output"; sleep 600 > "$output" &' },
    {
      name: 'a symbolic link to a good file',
      act: `echo '${good}' > "$content"; ln -s "$content" "$output"`,
    },
    { name: 'a symbolic link to itself', act: 'ln -s "$output" "$output"' },
    { name: 'a symbolic link to nothing', act: 'ln -s /nowhere/at/all "$output"' },
    { name: 'a symbolic link to a device', act: 'ln -s /dev/zero "$output"' },
    { name: 'a hard link', act: `echo '${good}' > "$output"; ln "$output" "$output.twin"` },
    {
      name: 'a socket',
      act: `perl -MIO::Socket::UNIX -e 'chdir $ARGV[0]; IO::Socket::UNIX->new(Local => "result.json", Listen => 1) or die $!' "$(dirname "$output")"`,
    },
    {
      name: 'a file without read permission',
      act: `echo '${good}' > "$output"; chmod 000 "$output"`,
      // Root may read it.
      ...(isRoot && { expected: goodEnvelope }),
    },
    {
      name: 'a file of another user',
      act: `echo '${good}' > "$output"; chown 65534 "$output" || true`,
      ...(!isRoot && { expected: goodEnvelope }),
    },
    { name: 'a file that grows all the time', act: 'yes >> "$output" & until [ -s "$output" ]; do :; done' },
    {
      name: 'a good file that grows all the time',
      act: `echo '${good}' > "$output"; yes >> "$output" & until [ "$(stat -c %s "$output")" -gt 100 ]; do :; done`,
    },
    { name: 'a run folder that is gone', act: 'rm -r "$(dirname "$output")"' },
    { name: 'a run folder that is a file', act: 'd=$(dirname "$output"); rm -r "$d"; echo hi > "$d"' },
    {
      name: 'written over by a rename',
      act: `echo '${good}' > "$output.new"; mv "$output.new" "$output"`,
      expected: goodEnvelope,
    },
  ];
}

function encodings(): ResultCase[] {
  const chinese = '{"code":1,"msg":"完成"}';
  const expected = { code: 1, msg: '完成' };
  const swapped = Buffer.from(`\uFEFF${chinese}`, 'utf16le').swap16();
  return [
    { name: 'UTF-8', content: chinese, expected },
    { name: 'UTF-8 with a byte order mark', content: `\uFEFF${chinese}`, expected },
    { name: 'two byte order marks', content: `\uFEFF\uFEFF${chinese}` },
    {
      name: 'UTF-16 LE with a byte order mark',
      content: Buffer.from(`\uFEFF${chinese}`, 'utf16le'),
      expected,
    },
    { name: 'UTF-16 BE with a byte order mark', content: swapped, expected },
    { name: 'UTF-16 without a byte order mark', content: Buffer.from(chinese, 'utf16le') },
    {
      name: 'UTF-16 cut in the middle of a character',
      content: Buffer.from(`\uFEFF${chinese}`, 'utf16le').subarray(0, -1),
    },
    { name: 'a byte order mark alone', content: Buffer.from([0xff, 0xfe]) },
    {
      name: 'GBK',
      content: Buffer.from([
        ...Buffer.from('{"code":1,"msg":"'),
        0xcd,
        0xea,
        0xb3,
        0xc9,
        ...Buffer.from('"}'),
      ]),
      expected,
    },
    { name: 'NUL bytes', content: Buffer.alloc(100) },
    { name: 'a NUL behind a good document', content: `${good}\0` },
    { name: 'binary', content: Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 37) % 256)) },
  ];
}

function documents(): ResultCase[] {
  return [
    { name: 'cut off', content: '{"code":0,"msg":"o' },
    { name: 'two documents', content: good + good },
    { name: 'a comma too many', content: '{"code":0,"msg":"ok",}' },
    { name: 'single quotes', content: "{'code':0,'msg':'ok'}" },
    { name: 'a list', content: `[${good}]` },
    { name: 'a number', content: '0' },
    { name: 'a text', content: '"ok"' },
    { name: 'null', content: 'null' },
    { name: 'true', content: 'true' },
    { name: 'an empty object', content: '{}' },
    { name: 'NaN', content: '{"code":NaN,"msg":"ok"}' },
    {
      name: 'keys that come twice',
      content: '{"code":5,"code":0,"msg":"no","msg":"ok"}',
      expected: goodEnvelope,
    },
    { name: 'white space around', content: `\n\t ${good} \r\n`, expected: goodEnvelope },
    {
      name: '64 levels deep',
      content: `{"code":0,"msg":"ok","deep":${nested(63)}}`,
      expected: { ...goodEnvelope, deep: JSON.parse(nested(63)) },
    },
    { name: '65 levels deep', content: `{"code":0,"msg":"ok","deep":${nested(64)}}` },
    { name: 'a million levels deep', content: `{"code":0,"msg":"ok","deep":${nested(1_000_000)}}` },
    { name: 'a million levels that never close', content: '['.repeat(1_000_000) },
    { name: 'a million objects deep', content: `${'{"a":'.repeat(1_000_000)}1${'}'.repeat(1_000_000)}` },
  ];
}

function nested(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels);
}

function codes(): ResultCase[] {
  const withCode = (code: string, expected?: number): ResultCase => ({
    name: `code ${code}`,
    content: `{"code":${code},"msg":"ok"}`,
    ...(expected !== undefined && { expected: { code: expected, msg: 'ok' } }),
  });
  return [
    withCode('"0"'),
    withCode('1.5'),
    withCode('1.0', 1),
    withCode('1e2', 100),
    withCode('1e400'),
    withCode('-0', -0),
    withCode('9007199254740991', 9007199254740991),
    withCode('9007199254740992'),
    withCode('null'),
    withCode('true'),
    withCode('[0]'),
    withCode('-7', -7),
    { name: 'a number too large, elsewhere', content: '{"code":0,"msg":"ok","size":1e400}' },
    { name: 'no code', content: '{"msg":"ok"}' },
  ];
}

function messages(): ResultCase[] {
  return [
    { name: 'no msg', content: '{"code":0}' },
    { name: 'msg null', content: '{"code":0,"msg":null}' },
    { name: 'msg a number', content: '{"code":0,"msg":1}' },
    { name: 'msg an object', content: '{"code":0,"msg":{}}' },
    { name: 'msg empty', content: '{"code":0,"msg":""}', expected: { code: 0, msg: '' } },
    { name: 'msg with a NUL', content: '{"code":0,"msg":"a\\u0000b"}', expected: { code: 0, msg: 'a\0b' } },
    {
      name: 'msg with half a character',
      content: '{"code":0,"msg":"\\ud83d"}',
      expected: { code: 0, msg: '\ud83d' },
    },
  ];
}

function prototypes(): ResultCase[] {
  const methods = '{"code":0,"msg":"ok","toString":1,"hasOwnProperty":2,"then":3,"toJSON":4}';
  const poison = '{"code":0,"msg":"polluted"}';
  return [
    { name: '__proto__', content: `{"code":0,"msg":"ok","__proto__":${poison}}` },
    { name: '__proto__ deep inside', content: `{"code":0,"msg":"ok","a":[{"b":{"__proto__":${poison}}}]}` },
    { name: '__proto__ by an escape', content: `{"code":0,"msg":"ok","\\u005f_proto__":${poison}}` },
    { name: 'constructor', content: `{"code":0,"msg":"ok","constructor":{"prototype":${poison}}}` },
    { name: 'prototype', content: `{"code":0,"msg":"ok","prototype":${poison}}` },
    { name: 'names of methods', content: methods, expected: JSON.parse(methods) },
  ];
}

function sizes(): ResultCase[] {
  const long = 'x'.repeat(8 * mib);
  return [
    { name: 'a sparse file of 1 GB', act: 'truncate -s 1G "$output"' },
    { name: 'msg of 8 MiB', content: `{"code":0,"msg":"${long}"}`, expected: { code: 0, msg: long } },
    { name: 'msg of 17 MiB', content: `{"code":0,"msg":"${'x'.repeat(17 * mib)}"}` },
    { name: 'white space for 15 MiB', content: good + ' '.repeat(15 * mib), expected: goodEnvelope },
  ];
}
