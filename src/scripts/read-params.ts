import { brief } from '../shared/brief.ts';
import { isJsonObject, type Json } from '../shared/json.ts';
import { ParamSchema } from './manifest-schema.ts';
import type { SectionReader } from './read-section.ts';
import { type Param, type ParamType, paramTypes, secretMask } from './script.ts';

/** Type names of older manifests. */
const aliases: Record<string, ParamType> = {
  string: 'str',
  text: 'str',
  path: 'str',
  file: 'str',
  folder: 'str',
  choice: 'str',
  select: 'str',
  password: 'str',
  integer: 'int',
  number: 'float',
  double: 'float',
  boolean: 'bool',
  switch: 'bool',
  array: 'list',
  object: 'dict',
  json: 'dict',
};

/** Reads the params of a manifest, from a list of tables or from the short form `name = default`. */
export function readParams(section: SectionReader): Param[] {
  const raw = section.root.params;
  return isJsonObject(raw) ? Object.entries(raw).map(shortParam) : readLongForm(section);
}

function shortParam([name, value]: [string, Json]): Param {
  return {
    name,
    label: name,
    type: typeOfDefault(value),
    isTypeDeclared: false,
    default: value,
    required: false,
    choices: [],
    choiceLabels: {},
    secret: false,
    when: null,
    description: null,
  };
}

function readLongForm(section: SectionReader): Param[] {
  const seen = new Set<string>();
  return section.list('params', ParamSchema).map(({ item: param, index }) => {
    const at = [section.rootName, 'params', index];
    if (seen.has(param.name)) {
      section.report('error', at, {
        en: `The param "${param.name}" is declared twice`,
        zh: `参数 "${param.name}" 重复声明`,
        advice: { en: 'Rename or remove one of them.', zh: '请重命名或删除其中一个。' },
      });
    }
    seen.add(param.name);
    const value = param.default as Json | undefined;
    const type = readType(param.type, value);
    if (type === null) {
      section.report('note', [...at, 'type'], {
        en: `Unknown param type "${param.type}"; the values of ${param.name} are not checked`,
        zh: `未知的参数类型 "${param.type}"，${param.name} 的值将原样传递`,
        advice: { en: `Known types: ${paramTypes.join(', ')}.`, zh: `可用类型：${paramTypes.join('、')}。` },
      });
    }
    const result: Param = {
      name: param.name,
      label: param.label ?? param.name,
      type: type ?? 'any',
      isTypeDeclared: param.type !== undefined,
      default: value,
      required: param.required ?? false,
      choices: param.choices ?? [],
      choiceLabels: param.choice_labels ?? {},
      secret: param.secret ?? param.type?.toLowerCase() === 'password',
      when: param.when === undefined ? null : { field: param.when.field, eq: param.when.eq as Json },
      description: param.description ?? null,
    };
    // Many manifests use an empty string for "not set", even with choices.
    const mismatch = value === undefined || value === '' ? null : paramMismatch(result, value);
    if (mismatch !== null) {
      const shown = result.secret ? secretMask : brief(value);
      section.report('error', [...at, 'default'], {
        en: `The default of ${param.name} must be ${mismatch}, not ${shown}`,
        zh: `${param.name} 的默认值应为 ${mismatch}，而不是 ${shown}`,
        advice: { en: 'Correct the default or the type.', zh: '请修正默认值或类型。' },
      });
    }
    return result;
  });
}

function readType(name: string | undefined, value: Json | undefined): ParamType | 'any' | null {
  if (name === undefined) return value === undefined ? 'any' : typeOfDefault(value);
  const lower = name.toLowerCase();
  return (
    paramTypes.find((type) => type === lower) ??
    (Object.hasOwn(aliases, lower) ? (aliases[lower] ?? null) : null)
  );
}

function typeOfDefault(value: Json): ParamType | 'any' {
  if (typeof value === 'string') return 'str';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  if (Array.isArray(value)) return 'list';
  return isJsonObject(value) ? 'dict' : 'any';
}

/** Returns the expected value, such as `int` or `one of a, b`; null if the value is valid. */
export function paramMismatch(param: Param, value: Json): string | null {
  if (param.isTypeDeclared && !fitsType(param.type, value)) return param.type;
  if (param.choices.length > 0 && !isChosen(param, value)) return `one of ${param.choices.join(', ')}`;
  return null;
}

/** Choices are strings, so they apply only to strings. */
function isChosen({ type, isTypeDeclared, choices }: Param, value: Json): boolean {
  if (typeof value === 'string') return choices.includes(value);
  return type !== 'str' && (type !== 'any' || isTypeDeclared);
}

function fitsType(type: Param['type'], value: Json): boolean {
  switch (type) {
    case 'str':
      return typeof value === 'string';
    case 'int':
      return Number.isSafeInteger(value);
    case 'float':
      return Number.isFinite(value);
    case 'bool':
      return typeof value === 'boolean';
    case 'list':
      return Array.isArray(value);
    case 'dict':
      return isJsonObject(value);
    case 'any':
      return true;
  }
}
