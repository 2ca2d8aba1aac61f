import { readFile } from 'node:fs/promises';
import { buffer, text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { errnoOf } from '../../shared/errors.ts';
import { isJsonObject, type Json, type JsonObject, tryParseJson } from '../../shared/json.ts';
import { tr } from '../language.ts';
import type { NodeAnswer } from '../node-fetch.ts';
import { type CommonOptions, collect, helpText, homeOption, withSignature } from '../options.ts';
import { ServiceClient } from '../service-client.ts';
import { printable } from '../terminal/text.ts';
import { exitCodes, ReportedError, usageError } from '../user-error.ts';

export function configure(command: Command): void {
  /** Both options add to one list, which keeps the order of the command line. */
  const fields: Field[] = [];
  const addField = (field: Field) => {
    fields.push(field);
    return fields;
  };
  withSignature(command, {
    '<method>': [
      'GET, POST, PUT, PATCH or DELETE; can be left out: GET without a body, POST with one',
      'GET、POST、PUT、PATCH 或 DELETE；可省略：没有请求体时为 GET，否则为 POST',
    ],
    '[address]': [
      'path of the request, such as /api/runs, or runs for short',
      '请求的路径，如 /api/runs，可简写为 runs',
    ],
    '-f, --raw-field <key=text>': [
      'add a text to the JSON body; can be repeated',
      '向 JSON 请求体添加文本，可重复使用',
      { parse: (text) => addField({ text, isTyped: false }) },
    ],
    '-F, --field <key=value>': [
      'add a JSON value, or else a text; @file reads a file, @- reads stdin; can be repeated',
      '添加 JSON 值，不是 JSON 时为文本；@文件 读取文件，@- 读取标准输入；可重复使用',
      { parse: (text) => addField({ text, isTyped: true }) },
    ],
    '-H, --header <header>': [
      'add a header "Name: value"; can be repeated',
      '添加请求头 “名称: 值”，可重复使用',
      { parse: collect },
    ],
    '--input <file>': [
      'send the content of a file as the body; - reads stdin',
      '以文件内容作为请求体；- 表示标准输入',
      { conflicts: ['field', 'rawField'] },
    ],
    '-i, --include': ['print the status and the headers, too', '同时输出状态和响应头'],
    ...homeOption,
  })
    .usage(tr('[options] [method] <address>', '[选项] [方法] <路径>'))
    .addHelpText('after', help)
    .action(api);
}

const help = helpText(
  [
    'hob api runs',
    'hob api GET /api/runs -f state=failed -F limit=5',
    'hob api execute -f script_id=2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11 -F sync=true -F params[quality]=85',
    'hob api DELETE runs/93081ff8-5c0e-4d3a-9f0e-6a1f7c112f0c',
  ],
  `Sends a request to the service and prints the body of its response. On a terminal,
JSON is indented; elsewhere the body is printed byte for byte. With GET, -f and -F
become the query. -F a[b]=1 sets a field of an object, -F a[]=1 adds to a list.

Exit codes: 0 success, 1 the status is 400 or above or Hob did not respond, 2 usage error.
All requests are listed on the page /docs of the console.`,
  `向服务发送请求并输出响应的正文。在终端中，JSON 会缩进显示；否则逐字节原样输出。
使用 GET 时，-f 和 -F 成为查询参数。-F a[b]=1 设置对象的字段，-F a[]=1 向列表添加一项。

退出码：0 成功，1 状态码为 400 或以上或 Hob 没有响应，2 命令写法有误。
全部请求见控制台的 /docs 页面。`,
);

interface Field {
  readonly text: string;
  /** Whether the value is JSON or the content of a file. */
  readonly isTyped: boolean;
}

interface ApiOptions extends CommonOptions {
  rawField?: readonly Field[];
  field?: readonly Field[];
  header?: readonly string[];
  input?: string;
  include?: boolean;
}

async function api(first: string, second: string | undefined, options: ApiOptions): Promise<void> {
  const fields = await readFields(options.field ?? options.rawField ?? [], readSource);
  const input = options.input === undefined ? null : await readBody(options.input);
  const hasBody = input !== null || fields !== null;
  const method = second === undefined ? (hasBody ? 'POST' : 'GET') : readMethod(first);
  const path = pathOf(second ?? first);
  const isQuery = fields !== null && (method === 'GET' || method === 'HEAD');
  const headers = readHeaders(options.header ?? []);
  const client = await ServiceClient.find(options.home);
  const body = input ?? (fields === null || isQuery ? undefined : fields);
  const answer = await client.open(isQuery ? withQuery(path, fields) : path, {
    method,
    headers,
    body,
    refusal: 'return',
  });
  if (options.include === true) process.stdout.write(headText(answer.incoming));
  await print(answer.incoming, client);
  const { status } = answer;
  if (status < 400) return;
  const code = answer.headers.get('x-hob-error') ?? null;
  process.stderr.write(`hob: HTTP ${status}${code === null ? '' : ` ${printable(code)}`}\n`);
  throw new ReportedError(exitCodes.failed);
}

function readMethod(method: string): string {
  if (/^(?:get|head|post|put|patch|delete|options)$/i.test(method)) return method.toUpperCase();
  throw usageError(
    `Unknown method "${printable(method)}": expected GET, POST, PUT, PATCH or DELETE.`,
    `未知的方法 “${printable(method)}”：应为 GET、POST、PUT、PATCH 或 DELETE。`,
  );
}

/** The path of a request. Without a slash at the beginning, it is relative to /api/. */
export function pathOf(address: string): string {
  const path = address.startsWith('/') ? address : `/api/${address.replace(/^api\//, '')}`;
  // The path may contain characters that only a URL escapes.
  const { pathname, search } = new URL(`http://localhost${path}`);
  return pathname + search;
}

export function readHeaders(texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    texts.map((header) => {
      const [, name, value] = /^([!#$%&'*+.^`|~\w-]+):\s*([\t -~\u0080-\u00ff]*)$/.exec(header) ?? [];
      if (name === undefined || value === undefined)
        throw usageError(
          `Invalid header "${printable(header)}": expected "Name: value".`,
          `请求头 “${printable(header)}” 无效：应为 “名称: 值”。`,
        );
      return [name.toLowerCase(), value];
    }),
  );
}

/** The object that the fields make; null if there are none. */
export async function readFields(
  fields: readonly Field[],
  read: (path: string) => Promise<string>,
): Promise<JsonObject | null> {
  if (fields.length === 0) return null;
  const object: JsonObject = {};
  for (const { text: field, isTyped } of fields) {
    const [, name, steps, value] = /^([^=[\]]+)((?:\[[^=[\]]*\])*)=(.*)$/s.exec(field) ?? [];
    if (name === undefined || steps === undefined || value === undefined)
      throw usageError(
        `Invalid field "${printable(field)}": expected key=value, key[name]=value or key[]=value.`,
        `字段 “${printable(field)}” 无效：应为 key=value、key[name]=value 或 key[]=value。`,
      );
    const path = [name, ...Array.from(steps.matchAll(/\[([^\]]*)\]/g), ([, step = '']) => step)];
    insert(object, path, isTyped ? await typedValue(value, read) : value);
  }
  return object;
}

async function typedValue(value: string, read: (path: string) => Promise<string>): Promise<Json> {
  if (value.startsWith('@@')) return value.slice(1);
  if (value.startsWith('@')) return read(value.slice(1));
  const parsed = tryParseJson(value);
  return parsed === undefined ? value : parsed;
}

/** Puts a value at a path; an empty step means the end of a list. */
function insert(object: JsonObject, path: readonly string[], value: Json): void {
  let place: Json = object;
  for (const [index, step] of path.entries()) {
    const next = path[index + 1];
    const inside: Json = next === undefined ? value : next === '' ? [] : {};
    if (step === '' && Array.isArray(place)) {
      place.push(inside);
      place = inside;
    } else if (step !== '' && isJsonObject(place)) {
      const before: Json | undefined = Object.hasOwn(place, step) ? place[step] : undefined;
      const added: Json = next === undefined || before === undefined ? inside : before;
      Object.defineProperty(place, step, {
        value: added,
        enumerable: true,
        writable: true,
        configurable: true,
      });
      place = added;
    } else {
      const key = path.map((each, at) => (at === 0 ? each : `[${each}]`)).join('');
      throw usageError(
        `The field ${printable(key)} contradicts an earlier field.`,
        `字段 ${printable(key)} 与前面的字段矛盾。`,
      );
    }
  }
}

function withQuery(path: string, fields: JsonObject): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields))
    query.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

async function readSource(path: string): Promise<string> {
  return path === '-' ? text(process.stdin) : (await readBody(path)).toString();
}

async function readBody(path: string): Promise<Buffer> {
  if (path === '-') return buffer(process.stdin);
  try {
    return await readFile(path);
  } catch (error) {
    throw usageError(
      `Cannot read the file ${printable(path)} (${errnoOf(error)}).`,
      `无法读取文件 ${printable(path)}（${errnoOf(error)}）。`,
    );
  }
}

function headText({
  httpVersion,
  statusCode = 0,
  statusMessage = '',
  headers,
}: NodeAnswer['incoming']): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `${[`HTTP/${httpVersion} ${statusCode} ${statusMessage}`, ...lines].join('\n')}\n\n`;
}

/** Prints JSON with indentation on a terminal, and all other bodies as they arrive. */
async function print(answer: NodeAnswer['incoming'], client: ServiceClient): Promise<void> {
  const isJson = /^application\/json\b/.test(answer.headers['content-type'] ?? '');
  try {
    if (!isJson || !process.stdout.isTTY) {
      await pipeline(answer, process.stdout, { end: false });
      return;
    }
    const body = await text(answer);
    const value = tryParseJson(body);
    process.stdout.write(`${value === undefined ? body : JSON.stringify(value, null, 2)}\n`);
  } catch (error) {
    // A reader that closes the pipe has read what it wanted.
    if (errnoOf(error) === 'EPIPE' || process.stdout.destroyed) return;
    throw client.noResponse(error);
  }
}
