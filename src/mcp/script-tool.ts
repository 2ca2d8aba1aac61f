import { isAsked, readData, readParams } from '../runs/inputs.ts';
import { paramMismatch } from '../scripts/read-params.ts';
import type { MainInput, Output, Param, Script } from '../scripts/script.ts';
import { assertNever } from '../shared/assert-never.ts';
import { cutMessage } from '../shared/cut-message.ts';
import { AppError } from '../shared/errors.ts';
import type { Json, JsonObject } from '../shared/json.ts';
import { repeated } from './agent.ts';
import type { AgentScript } from './offers.ts';

/** A tool as MCP describes it. */
export interface ToolDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: { readonly type: 'object' } & JsonObject;
  readonly outputSchema?: { readonly type: 'object' } & JsonObject;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
}

/** An author may paste a whole manual. Every agent reads every description. */
const longestDescription = 2000;
const longestFieldDescription = 500;

/** The tool of a script. */
export function scriptTool({ script, toolName, isAsked }: AgentScript): ToolDefinition {
  const { mcp } = script;
  const consent = isAsked ? ['The user is asked before it runs.'] : [];
  return {
    name: toolName,
    title: script.name,
    description: cutMessage([script.description ?? script.name, ...consent].join('\n\n'), longestDescription),
    inputSchema: inputSchema(script),
    outputSchema: outputSchema(script),
    annotations: {
      readOnlyHint: mcp.readOnly,
      destructiveHint: mcp.destructive,
      idempotentHint: mcp.idempotent,
      openWorldHint: mcp.openWorld,
    },
  };
}

/** The argument that a param is read from. */
interface Argument {
  readonly name: string;
  readonly param: Param;
}

/** The params that an agent may set. Secrets never pass through a model. */
function paramArguments({ input, params }: Script): Argument[] {
  const taken = new Set(params.map(({ name }) => name));
  return params
    .filter(({ secret }) => !secret)
    .map((param) => ({ name: param.name === input?.name ? freeName(param.name, taken) : param.name, param }));
}

/** The main input keeps its name if a param has the same one. */
function freeName(name: string, taken: ReadonlySet<string>): string {
  const longer = `${name}_param`;
  return taken.has(longer) ? freeName(longer, taken) : longer;
}

function inputSchema(script: Script): ToolDefinition['inputSchema'] {
  const { input } = script;
  const args = paramArguments(script);
  const properties = [
    ...(input === null ? [] : [[input.name, describeInput(input)] as const]),
    ...args.map(({ name, param }) => [name, describeParam(param)] as const),
  ];
  const required = args
    .filter(({ param }) => param.required && param.default === undefined && param.when === null)
    .map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

function describeInput({ label, name, type, pick, exts, description }: MainInput): JsonObject {
  const kinds: Readonly<Record<string, string>> = {
    files: 'Absolute paths of files',
    folders: 'Absolute paths of folders',
    both: 'Absolute paths of files or folders',
  };
  const kind = pick === null ? null : (kinds[pick] ?? null);
  const paths = kind === null ? [] : [exts.length > 0 ? `${kind} (${exts.join(', ')}).` : `${kind}.`];
  const text = described([description ?? (label === name ? null : label), ...paths]);
  return type === 'str' ? { type: 'string', ...text } : { type: 'array', items: { type: 'string' }, ...text };
}

/** JSON has one type of number. A type derived from the default accepts both. */
const jsonTypes = { str: 'string', float: 'number', bool: 'boolean', list: 'array', dict: 'object' } as const;

function describeParam(param: Param): JsonObject {
  const { label, name, when } = param;
  const labels = param.choices
    .filter((choice) => Object.hasOwn(param.choiceLabels, choice))
    .map((choice) => `${choice}: ${param.choiceLabels[choice]}`);
  return {
    ...typeOf(param),
    ...choicesOf(param),
    ...(isUsableDefault(param) && { default: param.default }),
    ...described([
      param.description ?? (label === name ? null : label),
      labels.length > 0 ? `${labels.join('; ')}.` : null,
      when === null ? null : `Used only if ${when.field} is ${JSON.stringify(when.eq)}.`,
    ]),
  };
}

function typeOf({ type, isTypeDeclared }: Pick<Param, 'type' | 'isTypeDeclared'>): JsonObject {
  if (type === 'any') return {};
  if (type === 'int') return { type: isTypeDeclared ? 'integer' : 'number' };
  return { type: jsonTypes[type] };
}

/** Choices are texts in the manifest. The schema omits them if no value of the type can equal them. */
function choicesOf({ type, choices }: Param): JsonObject {
  if (choices.length === 0) return {};
  switch (type) {
    case 'str':
    case 'any':
      return { enum: [...choices] };
    case 'list':
      return { items: { enum: [...choices] } };
    case 'int':
    case 'float': {
      const numbers = choices.map((choice) => (choice.trim() === '' ? Number.NaN : Number(choice)));
      return numbers.every(type === 'int' ? Number.isSafeInteger : Number.isFinite) ? { enum: numbers } : {};
    }
    case 'bool':
    case 'dict':
      return {};
    default:
      return assertNever(type);
  }
}

/** Many manifests use an empty text for "not set", which an agent could not send. */
function isUsableDefault(param: Param): param is Param & { default: Json } {
  return param.default !== undefined && paramMismatch(param, param.default) === null;
}

/**
 * The envelope that the script writes. Hob checks only its `code` and `msg`. The other values have no types here: a script may write others
 * than it declares, and a client would then refuse the answer. Some clients refuse a value without a type, so a text describes them.
 */
function outputSchema({ outputs }: Script): NonNullable<ToolDefinition['outputSchema']> {
  const declared = outputs.map(describeOutput);
  return {
    type: 'object',
    ...described(
      [
        ...declared,
        'stdout: what the script printed, if it wrote no result.',
        'run_id: pass it to hob_wait if the run continues.',
      ],
      longestDescription,
    ),
    properties: { code: { type: 'integer' }, msg: { type: 'string' } },
    required: ['msg'],
    additionalProperties: true,
  };
}

function describeOutput({ name, type, description }: Output): string {
  const kind = type === null ? '' : ` (usually ${type})`;
  return `${name}${kind}${description === null ? '' : `: ${description}`}`;
}

function described(sentences: readonly (string | null)[], longest = longestFieldDescription): JsonObject {
  const text = sentences
    .filter((one) => one !== null && one !== '')
    .map((one, index, all) => (index < all.length - 1 && !/[.!?。！？]$/.test(one ?? '') ? `${one}.` : one))
    .join(' ');
  return text === '' ? {} : { description: cutMessage(text, longest) };
}

/** Returns what the script gets for the arguments of a call. Throws an error that says which argument to change. */
export function readArguments(
  { script, toolName }: AgentScript,
  args: JsonObject,
): { data: Json; params: JsonObject } {
  const { input } = script;
  const known = new Map(paramArguments(script).map(({ name, param }) => [name, param.name]));
  const params: JsonObject = {};
  for (const [name, value] of Object.entries(args)) {
    if (name === input?.name) continue;
    const param = known.get(name);
    if (param === undefined)
      throw unknownArgument(name, toolName, [...(input ? [input.name] : []), ...known.keys()]);
    // Models send null for an argument that they leave out.
    if (value !== null) params[param] = value;
  }
  const secret = missingSecret(script, params);
  if (secret !== undefined) throw secretNeeded(secret.name, toolName);
  const values = input === null ? undefined : (args[input.name] ?? undefined);
  return {
    data: readData(script, input === null || values === undefined ? undefined : { [input.name]: values }),
    params: readParams(script, params),
  };
}

/** The first secret that a run with these params lacks. */
function missingSecret({ params }: Script, sent: JsonObject): Param | undefined {
  const withDefault = params.flatMap((param) =>
    param.default === undefined ? [] : [[param.name, param.default] as const],
  );
  const defaults: JsonObject = Object.fromEntries(withDefault);
  return params.find(
    (param) =>
      param.secret && param.required && param.default === undefined && isAsked(param, defaults, sent),
  );
}

/** An agent cannot send the secret, so only the user can help. */
function secretNeeded(name: string, tool: string): AppError {
  return new AppError('params-invalid', {
    en: `The tool ${tool} needs the secret "${name}", which an agent cannot send. Ask the user to run the script.`,
    zh: `工具 ${tool} 需要密钥 "${name}"，智能体不能提供密钥。请让用户自己运行该脚本。`,
    fields: [name],
  });
}

function unknownArgument(name: string, tool: string, known: readonly string[]): AppError {
  const shown = repeated(name);
  const names = known.length === 0 ? 'no arguments' : `these: ${known.join(', ')}`;
  return new AppError('params-invalid', {
    en: `The tool ${tool} has no argument "${shown}". It has ${names}.`,
    zh: `工具 ${tool} 没有参数 "${shown}"。可用参数：${known.join('、') || '无'}。`,
    fields: [shown],
  });
}
