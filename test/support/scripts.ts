import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { onTestFinished } from 'vitest';

export interface ScriptOptions {
  id?: string;
  name?: string;
  /** An icon file in the folder of the script. */
  icon?: string;
  language?: string;
  /** Name and text of the entry. */
  entry?: [name: string, text: string];
  /** Additional lines of the runtime table. */
  runtime?: string;
  /** Additional tables, with `service` as the root. */
  tables?: string;
  node?: boolean;
  manifestName?: string;
}

/** Writes a script into a new folder below `parent`, and returns its id. */
export async function writeScript(
  parent: string,
  folder: string,
  options: ScriptOptions = {},
): Promise<string> {
  const id = options.id ?? randomUUID();
  const [entryName, entryText] = options.entry ?? ['main.sh', 'exit 0\n'];
  const manifest = `
[service.info]
id = "${id}"
name = "${options.name ?? folder}"${options.icon === undefined ? '' : `\nicon = "${options.icon}"`}

[service.runtime]
language = "${options.language ?? 'bash'}"
entry = "${entryName}"
${options.runtime ?? ''}

[service.node]
enabled = ${options.node ?? false}

${options.tables ?? ''}
`;
  const path = join(parent, folder);
  await mkdir(path, { recursive: true });
  await writeFile(join(path, entryName), entryText);
  await chmod(join(path, entryName), 0o755);
  await writeFile(join(path, options.manifestName ?? 'script.toml'), manifest);
  return id;
}

/** A Python entry: `run` is the parameter file, `write(envelope)` writes the result, `call(path, body)` calls Hob. */
export function python(body: string): [string, string] {
  return [
    'main.py',
    `import json, os, sys, urllib.error, urllib.request
run = json.load(open(sys.argv[1], encoding="utf-8"))
env = run["environment"]
def write(envelope):
    json.dump(envelope, open(env["output_json"], "w", encoding="utf-8"))
def call(path, body, base=None):
    request = urllib.request.Request((base or env["api_base"]) + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)
${body}
`,
  ];
}

/** A bash entry; `$output` is where the envelope goes. */
export function bash(body: string): [string, string] {
  return [
    'main.sh',
    `output=$(sed -n 's/.*"output_json": "\\(.*\\)",*/\\1/p' "$1")
${body}
`,
  ];
}

/** For a bash entry: `link <id> <params>` links a script and sets `$status` and `$answer`. */
export const bashLink = `
base=$(sed -n 's/.*"api_base": "\\(.*\\)",*/\\1/p' "$1")
link() {
  local reply
  reply=$(curl -sS -w '\\n%{http_code}' -H 'Content-Type: application/json' -d "{\\"script_id\\":\\"$1\\",\\"params\\":$2}" "$base/api/link")
  status=\${reply##*$'\\n'}
  answer=\${reply%$'\\n'*}
}
`;

/** Creates nested folders named `level`, if need be deeper than the longest possible path. Removed when the test ends. */
export function nestFolders(parent: string, levels: number): void {
  onTestFinished(() => {
    execFileSync('rm', ['-rf', join(parent, 'level')]);
  });
  const program = 'import os, sys\nfor _ in range(int(sys.argv[1])): os.mkdir("level"); os.chdir("level")';
  execFileSync('python3', ['-c', program, String(levels)], { cwd: parent });
}
