import type { Text } from '../shared/text.ts';
import { autohotkey } from './languages/autohotkey.ts';
import { bash } from './languages/bash.ts';
import { bat } from './languages/bat.ts';
import { bun } from './languages/bun.ts';
import { deno } from './languages/deno.ts';
import { exe } from './languages/exe.ts';
import { html } from './languages/html.ts';
import type { InterpreterSpec, Language, Template } from './languages/language.ts';
import { lua } from './languages/lua.ts';
import { node } from './languages/node.ts';
import { perl } from './languages/perl.ts';
import { php } from './languages/php.ts';
import { powershell } from './languages/powershell.ts';
import { python } from './languages/python.ts';
import { ruby } from './languages/ruby.ts';
import { sh } from './languages/sh.ts';
import { typescript } from './languages/typescript.ts';

/** All supported languages, by their names in manifests. */
const records = {
  python,
  'node.js': node,
  typescript,
  bash,
  sh,
  powershell,
  bat,
  exe,
  html,
  autohotkey,
  ruby,
  perl,
  php,
  lua,
  deno,
  bun,
} as const satisfies Record<string, Language>;

type Records = typeof records;
export type ScriptLanguage = keyof Records;
export type InterpretedLanguage = {
  [Name in ScriptLanguage]: Records[Name] extends { interpreter: InterpreterSpec } ? Name : never;
}[ScriptLanguage];

const isLanguage = (name: string): name is ScriptLanguage => Object.hasOwn(records, name);
const isInterpreted = (name: ScriptLanguage): name is InterpretedLanguage => 'interpreter' in records[name];

export const languageRecords: Readonly<Record<ScriptLanguage, Language>> = records;
export const languages: readonly ScriptLanguage[] = Object.keys(records).filter(isLanguage);
export const interpretedLanguages = languages.filter(isInterpreted);

/** The languages that `hob new` writes scripts in. */
export const templates: readonly (Template & { readonly language: ScriptLanguage })[] = languages.flatMap(
  (language) => {
    const { template } = languageRecords[language];
    return template === undefined ? [] : [{ ...template, language }];
  },
);

export function interpreterSpec(name: InterpretedLanguage): InterpreterSpec {
  return records[name].interpreter;
}

export function installAdvice(name: InterpretedLanguage): Text {
  const { title, source } = interpreterSpec(name);
  return { en: `Install ${title}: ${source}`, zh: `请安装 ${title}：${source}` };
}

export function languageFromName(name: string): ScriptLanguage | undefined {
  const lower = name.trim().toLowerCase();
  return isLanguage(lower) ? lower : languages.find((each) => languageRecords[each].aliases?.includes(lower));
}

export function languageFromExtension(extension: string): ScriptLanguage | undefined {
  const lower = extension.toLowerCase();
  return languages.find((each) => languageRecords[each].extensions?.includes(lower));
}
