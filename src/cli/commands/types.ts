import type { Command } from 'commander';
import type { Param, ScriptDetail } from '../../contract/types.ts';
import { findScript } from '../find-script.ts';
import { tr } from '../language.ts';
import { exitCodesText, homeOption, withSignature } from '../options.ts';
import { ServiceClient } from '../service-client.ts';
import { printable } from '../terminal/text.ts';

export function configure(command: Command): void {
  withSignature(command, {
    '<script>': [
      'slug or name of the script, part of the name, id or id prefix',
      'slug、名称、名称的一部分、ID 或 ID 的开头',
    ],
    '--python': ['print Python types instead of TypeScript', '输出 Python 类型，而不是 TypeScript'],
    ...homeOption,
  })
    .addHelpText('after', `${examples}${exitCodesText}`)
    .action(async (wanted: string, { home, python }: { home?: string; python?: boolean }) => {
      const script = await findScript(await ServiceClient.find(home), wanted);
      process.stdout.write(python === true ? pythonTypes(script) : typeScriptTypes(script));
    });
}

const examples = tr(
  `
Examples:
  hob types "Resize images" > resize-images.ts
  hob types "Resize images" --python > resize_images.py

The types describe the input, the params and the result of the script, as its
manifest declares them. Use them with the module hob/client:
  hob.run<ResizeImages>(resizeImagesId, { params: { quality: 90 } })
`,
  `
示例：
  hob types 图片缩放 > resize-images.ts
  hob types 图片缩放 --python > resize_images.py

类型来自脚本的清单：主输入、参数和结果。与 hob/client 模块一起使用：
  hob.run<图片缩放>(图片缩放Id, { params: { quality: 90 } })
`,
);

/** A field of the params or of the result. */
interface Field {
  readonly name: string;
  readonly type: string | null;
  readonly choices: readonly string[];
  readonly isRequired: boolean;
  readonly about: string;
}

/** The fields of each result. */
const envelope: readonly Field[] = [
  { name: 'code', type: 'int', choices: [], isRequired: true, about: '' },
  { name: 'msg', type: 'str', choices: [], isRequired: true, about: '' },
];

function fieldsOf({ params, outputs }: ScriptDetail): { params: Field[]; result: Field[] } {
  return {
    params: params.map((param) => ({
      name: param.name,
      type: param.type,
      choices: param.choices,
      isRequired: param.required && param.default === undefined,
      about: aboutParam(param),
    })),
    // A script that fails may return none of its outputs. The envelope declares its own fields.
    result: outputs
      .filter(({ name }) => !envelope.some((field) => field.name === name))
      .map(({ name, type, description }) => ({
        name,
        type,
        choices: [],
        isRequired: false,
        about: description ?? '',
      })),
  };
}

function aboutParam({ label, name, description, default: usual }: Param): string {
  const title = label === name ? '' : label;
  const shown = usual === undefined ? '' : `${tr('Default', '默认')}: ${JSON.stringify(usual)}`;
  return [title, description ?? '', shown].filter((text) => text !== '').join('. ');
}

function typeScriptTypes(script: ScriptDetail): string {
  const name = typeName(script);
  const { params, result } = fieldsOf(script);
  return `// ${origin(script)}

export const ${constantName(name)} = '${script.id}';

export interface ${name} {
  data: ${typeScriptInput(script)};
  params: ${typeScriptObject(params)};
  result: ${typeScriptObject(result)};
}
`;
}

function typeScriptInput({ input }: ScriptDetail): string {
  if (input === null) return 'Record<string, unknown> | unknown[]';
  const value = input.type === 'str' ? 'string | string[]' : 'string[]';
  return `{ ${propertyName(input.name)}: ${value} } | ${value}`;
}

function typeScriptObject(fields: readonly Field[]): string {
  if (fields.length === 0) return 'Record<string, unknown>';
  const lines = fields.map((field) => {
    const comment = field.about === '' ? '' : `    /** ${oneLine(field.about).replaceAll('*/', '*\\/')} */\n`;
    const type = field.choices.length > 0 ? literals(field.choices, ' | ') : typeScriptType(field.type);
    return `${comment}    ${propertyName(field.name)}${field.isRequired ? '' : '?'}: ${type};\n`;
  });
  return `{\n${lines.join('')}  }`;
}

function typeScriptType(type: string | null): string {
  switch (type) {
    case 'str':
    case 'file':
      return 'string';
    case 'int':
    case 'float':
      return 'number';
    case 'bool':
      return 'boolean';
    case 'files':
      return 'string[]';
    case 'list':
      return 'unknown[]';
    case 'dict':
      return 'Record<string, unknown>';
    default:
      return 'unknown';
  }
}

function pythonTypes(script: ScriptDetail): string {
  const name = typeName(script);
  const { params, result } = fieldsOf(script);
  const fields = [...params, ...envelope, ...result];
  const types = fields
    .map(({ choices, type }) => (choices.length > 0 ? 'Literal' : pythonType(type)))
    .join(' ');
  const imported = ['Any', 'Dict', 'List', 'Literal'].filter((each) =>
    new RegExp(`\\b${each}\\b`).test(types),
  );
  return `# ${origin(script)}
from typing import ${[...imported, 'TypedDict'].join(', ')}

${constantName(name)} = "${script.id}"

${pythonClass(`${name}Params`, params)}


${pythonClass(`${name}Result`, [...envelope, ...result])}
`;
}

/** Required and optional fields are two classes, because Python 3.8 knows no `NotRequired`. */
function pythonClass(name: string, fields: readonly Field[]): string {
  const required = fields.filter(({ isRequired }) => isRequired);
  const optional = fields.filter(({ isRequired }) => !isRequired);
  if (required.length === 0) return pythonFields(name, optional, false);
  if (optional.length === 0) return pythonFields(name, required, true);
  const [base, rest] = [`_${name}Required`, `_${name}Optional`];
  return `${pythonFields(base, required, true)}

${pythonFields(rest, optional, false)}


class ${name}(${base}, ${rest}):
    pass`;
}

/** The functional form allows names that are not identifiers. */
function pythonFields(name: string, fields: readonly Field[], isTotal: boolean): string {
  const rows = fields.map((field) => {
    const comment = field.about === '' ? '' : `        # ${oneLine(field.about)}\n`;
    return `${comment}        ${JSON.stringify(field.name)}: ${pythonFieldType(field)},\n`;
  });
  const content = rows.length === 0 ? '    {},\n' : `    {\n${rows.join('')}    },\n`;
  return `${name} = TypedDict(\n    "${name}",\n${content}${isTotal ? '' : '    total=False,\n'})`;
}

function pythonFieldType({ choices, type }: Field): string {
  return choices.length > 0 ? `Literal[${literals(choices, ', ')}]` : pythonType(type);
}

function pythonType(type: string | null): string {
  switch (type) {
    case 'str':
    case 'file':
      return 'str';
    case 'int':
    case 'float':
    case 'bool':
      return type;
    case 'files':
      return 'List[str]';
    case 'list':
      return 'List[Any]';
    case 'dict':
      return 'Dict[str, Any]';
    default:
      return 'Any';
  }
}

function origin({ name, id }: ScriptDetail): string {
  const title = oneLine(name);
  return tr(
    `The types of the script ${title}. Generated by: hob types ${id}`,
    `脚本 ${title} 的类型。生成命令：hob types ${id}`,
  );
}

/** `Resize images` becomes `ResizeImages`. The second script with that name becomes `ResizeImages2`. */
function typeName({ name, slug }: ScriptDetail): string {
  const words = name.split(/[^\p{ID_Continue}]+/u).filter((word) => word !== '');
  const joined = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  const type = /^\p{ID_Start}/u.test(joined) ? joined : `Script${joined}`;
  const number = numberOfSlug(slug, name);
  // `Photos 3` and the number 2 must not become the `Photos32` of another script.
  return /\d$/.test(type) && number !== '' ? `${type}_${number}` : `${type}${number}`;
}

/** The number that makes a slug unique, such as the 2 of `resize-images-2`; empty if the number belongs to the name. */
function numberOfSlug(slug: string, name: string): string {
  const number = /-(\d+)$/.exec(slug)?.[1] ?? '';
  return numbersAtEnd(slug) > numbersAtEnd(name) ? number : '';
}

function numbersAtEnd(text: string): number {
  const end = text.split(/\p{L}/u).at(-1) ?? '';
  return end.match(/\d+/g)?.length ?? 0;
}

/** The name of the id. Its ending keeps it apart from the type, and from the reserved words of both languages. */
function constantName(type: string): string {
  return `${type.charAt(0).toLowerCase()}${type.slice(1)}Id`;
}

function propertyName(name: string): string {
  return /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(name) ? name : JSON.stringify(name);
}

function literals(values: readonly string[], separator: string): string {
  return values.map((value) => JSON.stringify(value)).join(separator);
}

function oneLine(text: string): string {
  return printable(text.replace(/\s+/g, ' ').trim());
}
