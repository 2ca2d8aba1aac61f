import type { Command } from 'commander';

import type { Execution, ScriptDetail } from '../../contract/types.ts';
import type { JsonObject } from '../../shared/json.ts';
import { tr } from '../language.ts';
import { collect, withSignature } from '../options.ts';
import { paramValue } from '../param-value.ts';
import { printJson } from '../terminal/print.ts';
import { printable } from '../terminal/text.ts';
import {
  callHob,
  fileOption,
  needRun,
  parseJson,
  readAssignment,
  shownValue,
  type ThisRun,
} from '../this-run.ts';
import { userError } from '../user-error.ts';

interface LinkOptions {
  param: string[];
  field?: string;
  json?: boolean;
  file?: string;
}

export function configure(command: Command): void {
  withSignature(command, {
    '<id>': ['id of the script, which must be a node', '脚本的 id；该脚本必须是节点'],
    '[values...]': ['values of its main input', '主输入的值'],
    '-p, --param <name=value>': [
      'set a param of the script; can be repeated',
      '参数；可重复',
      { parse: collect, default: [] },
    ],
    '--field <name>': ['print only this field of the envelope', '只打印结果中的这个值'],
    '--json': ['print the whole response', '打印完整的响应'],
    ...fileOption,
  })
    .addHelpText('after', examples)
    .action(async (id: string, values: string[], { param, field, json, file }: LinkOptions) => {
      const run = await needRun(file);
      const params = await readLinkParams(run, id, param);
      const body = { script_id: id, params, ...(values.length > 0 && { data: values }) };
      // A refused link has only a message.
      const answer = await callHob<Partial<Execution>>(run, '/api/link', { body });
      if (json === true) printJson(answer);
      const envelope = answer.result;
      if (envelope === undefined || answer.success !== true || envelope.code !== 0)
        throw userError(
          `The script ${id} failed: ${printable(answer.message ?? '')}`,
          `脚本 ${id} 失败：${printable(answer.message ?? '')}`,
        );
      if (json === true) return;
      process.stdout.write(`${field === undefined ? JSON.stringify(envelope) : fieldOf(envelope, field)}\n`);
    });
}

function fieldOf(envelope: Record<string, unknown>, name: string): string {
  const value = Object.hasOwn(envelope, name) ? envelope[name] : undefined;
  if (value !== undefined) return shownValue(value);
  throw userError(
    `The envelope has no field ${name}. Its fields: ${Object.keys(envelope).join(', ')}`,
    `结果中没有 ${name}。现有：${Object.keys(envelope).join(', ')}`,
  );
}

const examples = tr(
  `
Examples:
  hob link 2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11 "$file" -p quality=90
  small=$(hob link 2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11 "$file" --field output)
Prints the envelope. Exits with 1 if the script fails. Params are converted to the types that the manifest declares;
name:=value is always parsed as JSON.`,
  `
示例：
  hob link 2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11 "$file" -p quality=90
  small=$(hob link 2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11 "$file" --field output)
打印对方的结果；对方失败时退出码为 1。参数按对方清单中的类型读取；name:=值 总是按 JSON 读取。`,
);

/** The params of a linked script. The manifest of that script gives the type of each `name=value`. */
async function readLinkParams(
  run: Pick<ThisRun, 'apiBase'>,
  scriptId: string,
  words: readonly string[],
): Promise<JsonObject> {
  const assignments = words.map(readAssignment);
  const declared = assignments.some(({ isJson }) => !isJson)
    ? ((await callHob<Partial<ScriptDetail>>(run, `/api/scripts/${encodeURIComponent(scriptId)}`)).params ??
      [])
    : [];
  const params: JsonObject = {};
  for (const { name, text, isJson } of assignments) {
    const param = declared.find((each) => each.name === name);
    const texts = assignments
      .filter((other) => other.name === name && !other.isJson)
      .map((other) => other.text);
    if (isJson) params[name] = parseJson(name, text);
    else params[name] = param === undefined ? text : paramValue(param, texts);
  }
  return params;
}
