import { randomInt } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { tempFolder } from './hob.ts';
import { python, writeScript } from './scripts.ts';
import { type Place, type Secret, said } from './secret-search.ts';
import { linesOf } from './until.ts';

/** No hexadecimal digits, so that no hash can contain a secret. */
const letters = 'ghijklmnopqrstuvwxyzGHIJKLMNOPQRSTUVWXYZ';

/** Characters that every text format escapes in its own way. */
const trouble = ` "q' \\ <b>&%41+/=;,中文\n\t😀 `;

/** A new unique value with all characters that need escaping in its middle. */
export function dressed(): string {
  const word = () => Array.from({ length: 16 }, () => letters[randomInt(letters.length)]).join('');
  return `${word()}${trouble}${word()}`;
}

/** Creates secrets, each with a name for reports. */
export class Secrets {
  readonly all: Secret[] = [];

  next(name: string, value: string = dressed()): string {
    this.all.push({ name, value });
    return value;
  }
}

const secretParams = ['token', 'list', 'dict'].map(
  (name) => `[[service.params]]\nname = "${name}"\nsecret = true`,
);

const typedParams = `
[[service.params]]
name = "number"
type = "int"
secret = true

[[service.params]]
name = "choice"
type = "str"
choices = ["one", "two"]
secret = true

[[service.params]]
name = "list"
type = "list"
secret = true
`;

/** Scripts that receive secrets and print none. Each writes its address, which contains its token, to a file outside the home. */
export async function writeSecretiveScripts(secrets: Secrets) {
  const [scripts, notes] = [await tempFolder(), await tempFolder()];
  const addresses = join(notes, 'addresses');
  const inDefault = secrets.next('a default in a manifest');
  const withDefault = `[[service.params]]\nname = "preset"\nsecret = true\ndefault = ${JSON.stringify(inDefault)}`;
  const tables = [...secretParams, withDefault].join('\n\n');
  const bashEntry = (body: string): [string, string] => [
    'main.sh',
    `output=$(sed -n 's/.*"output_json": "\\(.*\\)",*/\\1/p' "$1")
sed -n 's/.*"api_base": "\\(.*\\)",*/\\1/p' "$1" >> '${addresses}'
say() { printf '{"code":0,"msg":"%s"}' "$1" > "$output"; }
${body}
`,
  ];
  const write = (name: string, body: string, more = {}) =>
    writeScript(scripts, name, { entry: bashEntry(body), tables, node: true, ...more });
  const quiet = await write('quiet', 'say "done and told"');
  const hold = `touch '${notes}/'"$HOB_RUN_ID"; until [ -e '${notes}/go' ]; do sleep 0.05; done; say released`;
  const ids = {
    quiet,
    typed: await write('typed', 'say typed', { tables: typedParams }),
    failing: await write('failing', 'echo "it went wrong" >&2; exit 3'),
    holding: await write('holding', hold, { runtime: 'concurrency = 1' }),
    slow: await write('slow', 'while :; do sleep 1; done', { runtime: 'timeout = 0.5' }),
    unstartable: await writeScript(scripts, 'unstartable', {
      language: 'exe',
      entry: ['main', '#!/no/such/interpreter\n'],
      tables,
    }),
    linking: await writeScript(scripts, 'linking', {
      language: 'python',
      tables,
      entry: python(`open("${addresses}", "a").write(env["api_base"] + "\\n")
status, _ = call("/api/link", {"script_id": "${quiet}", "params": {"token": run["params"]["token"]}})
call("/api/link", {"script_id": "${quiet}", "params": run["params"]["token"]})
call("/api/progress", {"fraction": 0.5, "message": "half"})
call("/api/progress", {"fraction": run["params"]["token"]})
call("/api/nothing/here", {})
call("/api/notify", {"notify_type": run["params"]["token"]})
write({"code": 0, "msg": "linked: %d" % status})`),
    }),
  };
  const wrongDefault = secrets.next('a default that does not fit');
  await writeScript(scripts, 'wrong', {
    tables: `[[service.params]]\nname = "x"\ntype = "int"\nsecret = true\ndefault = ${JSON.stringify(wrongDefault)}`,
  });
  return {
    scripts,
    ids,
    started: (runId: string) => join(notes, runId),
    release: () => writeFile(join(notes, 'go'), ''),
    fileWith: async (name: string, text: string) => {
      await writeFile(join(notes, name), text);
      return join(notes, name);
    },
    /** The tokens of the runs that have begun. */
    tokens: async (): Promise<Secret[]> => {
      const lines = await linesOf(addresses);
      return lines.map((line, index) => ({
        name: `run token ${index}`,
        value: line.split('/').at(-1) ?? '',
      }));
    },
  };
}

/** A caller that keeps every answer unchanged. */
export class Witness {
  readonly heard: Place[] = [];
  readonly runIds: string[] = [];
  readonly #url: () => string;

  constructor(url: () => string) {
    this.#url = url;
  }

  /** Returns the status, the run that the answer belongs to, and the body. */
  async ask(path: string, init: RequestInit = {}): Promise<{ status: number; runId: string; text: string }> {
    const answer = await fetch(this.#url() + path, { ...init, signal: AbortSignal.timeout(60_000) });
    const text = await answer.text();
    this.heard.push(said(`the answer ${answer.status} of ${path}`, text));
    this.heard.push(said(`the header of ${path}`, JSON.stringify([...answer.headers])));
    const runId = answer.headers.get('x-hob-run-id') ?? '';
    if (runId !== '' && !this.runIds.includes(runId)) this.runIds.push(runId);
    return { status: answer.status, runId, text };
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}) {
    return this.ask(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  /** Requests everything that the service reports about itself and each run. */
  async askForEverything(scriptIds: readonly string[]): Promise<void> {
    const general = ['runs', 'stats', 'outcomes', 'scripts', 'openapi.json', 'script.schema.json', 'health'];
    const ofRuns = this.runIds.flatMap((runId) =>
      ['', '/tree', '/stdout', '/stderr', '/events'].map((part) => `/api/runs/${runId}${part}`),
    );
    const ofScripts = scriptIds.map((id) => `/api/scripts/${id}`);
    for (const path of ['/metrics', ...general.map((name) => `/api/${name}`), ...ofRuns, ...ofScripts]) {
      await this.ask(path);
    }
  }
}
