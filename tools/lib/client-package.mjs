import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The types of answers in the declarations of the client, and where their schemas are. */
const answers = {
  Run: ({ runs }) => runs.RunAnswer,
  BriefRun: ({ history }) => history.RunsAnswer.properties.items.items,
  ScriptList: ({ scripts }) => scripts.ScriptsAnswer,
  Script: ({ scripts }) => scripts.ScriptsAnswer.properties.scripts.items,
  ScriptDetail: ({ scripts }) => scripts.ScriptAnswer,
  Download: ({ models }) => models.DownloadAnswer,
  Notification: ({ notifications }) => notifications.NotificationsAnswer.properties.items.items,
  Operation: ({ packages }) => packages.OperationsAnswer.properties.items.items,
};

/** Declarations whose public parts become those of the client, in this order. */
const declarations = [
  'contract/events',
  'contract/event-frames',
  'client/errors',
  'client/connection',
  'client/client',
  'client/hob',
];
/** Classes that the module uses and does not export. */
const internal = /^export (?=declare class (?:Client|Connection|EventFrames)\b)/m;

/**
 * Writes the module `hob/client`: each format in one file, without dependencies, with declarations that need no other package.
 * `compiled` is the output of the compiler.
 */
export async function buildClient({ root, compiled, target }) {
  const { build } = await import('esbuild');
  mkdirSync(target, { recursive: true });
  for (const [format, extension] of [
    ['esm', 'mjs'],
    ['cjs', 'cjs'],
  ])
    await build({
      absWorkingDir: root,
      entryPoints: [join(compiled, 'client', 'hob.js')],
      outfile: join(target, `client.${extension}`),
      bundle: true,
      format,
      platform: 'node',
      target: 'node20.19',
      logLevel: 'warning',
    });
  const text = await declarationsOf(root, compiled, join(target, '.types'));
  for (const extension of ['d.mts', 'd.cts']) writeFileSync(join(target, `client.${extension}`), text);
}

async function declarationsOf(root, compiled, folder) {
  const names = ['history', 'models', 'notifications', 'packages', 'runs', 'scripts'];
  const modules = await Promise.all(
    names.map((name) => import(pathToFileURL(join(compiled, 'contract', `${name}.js`)).href)),
  );
  const schemas = Object.fromEntries(names.map((name, at) => [name, modules[at]]));
  const types = Object.entries(answers).map(
    ([name, find]) => `export type ${name} = ${typeOf(find(schemas))};\n`,
  );
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const args = [compiler, '-p', join(root, 'tsconfig.client.json'), '--outDir', folder];
  const { status } = spawnSync(process.execPath, args, { stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error('The declarations of the client could not be compiled.');
  const parts = declarations.flatMap((path) =>
    statementsOf(readFileSync(join(folder, `${path}.d.ts`), 'utf8')),
  );
  rmSync(folder, { recursive: true });
  // Without the last statement, TypeScript regards every declaration as exported.
  return [...types, ...parts.map((part) => part.replace(internal, '')), 'export {};\n'].join('');
}

/** The statements that declare types and classes. Imports refer to files that are not a part of the module. */
function statementsOf(text) {
  return text
    .replace(/^\/\/#.*\n/gm, '')
    .split(/^(?=\/\*\*|import |export |type |interface |declare )/m)
    .reduce((found, part) => {
      // A comment belongs to the statement below it.
      const before = found.at(-1);
      if (before?.startsWith('/**') && !/\*\/\n./s.test(before)) found[found.length - 1] = before + part;
      else found.push(part);
      return found;
    }, [])
    .filter(
      (part) =>
        !/^(?:\/\*\*.*?\*\/\n)?(?:import |export \{|export type \{|export declare (?:const|function) )/s.test(
          part,
        ),
    );
}

/** The TypeScript of a JSON schema. */
export function typeOf(schema, indent = '') {
  if (schema.anyOf) return unique(schema.anyOf.map((each) => typeOf(each, indent))).join(' | ');
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if ('const' in schema) return JSON.stringify(schema.const);
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array': {
      const item = typeOf(schema.items, indent);
      return /[ |]/.test(item) && !item.startsWith('{') ? `(${item})[]` : `${item}[]`;
    }
    case 'object':
      return objectType(schema, indent);
    default:
      return 'unknown';
  }
}

function objectType({ properties = {}, required = [], additionalProperties, patternProperties }, indent) {
  const inner = `${indent}    `;
  const fields = Object.entries(properties).map(([name, schema]) => {
    const comment = schema.description ? `${inner}/** ${schema.description} */\n` : '';
    return `${comment}${inner}${name}${required.includes(name) ? '' : '?'}: ${typeOf(schema, inner)};\n`;
  });
  const [others] = Object.values(patternProperties ?? {});
  if (fields.length === 0)
    return others ? `Record<string, ${typeOf(others, indent)}>` : 'Record<string, unknown>';
  const rest = additionalProperties === true ? `${inner}[name: string]: unknown;\n` : '';
  return `{\n${fields.join('')}${rest}${indent}}`;
}

function unique(values) {
  return [...new Set(values)];
}
