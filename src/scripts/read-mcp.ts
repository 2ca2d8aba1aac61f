import Value from 'typebox/value';

import { brief } from '../shared/brief.ts';
import { isJsonObject, type JsonObject } from '../shared/json.ts';
import type { Text } from '../shared/text.ts';
import { McpSchema } from './manifest-schema.ts';
import { type SectionReader, unknownAdvice } from './read-section.ts';
import { type ScriptMcp, undeclared } from './script.ts';

/**
 * Reads how agents see the script. Other programs may have written this table, so a value that cannot be used is noted and ignored,
 * and never stops the script. Agents do not get a script whose `enabled` cannot be read: its author may have meant false.
 */
export function readMcp(section: SectionReader): ScriptMcp {
  const given = section.root.mcp;
  if (given === undefined) return undeclared.mcp;
  if (!isJsonObject(given)) {
    note(section, [], {
      en: `mcp must be a table, not ${brief(given)}; agents do not get the script`,
      zh: `mcp 应为表，而不是 ${brief(given)}；不向智能体提供该脚本`,
      advice: { en: 'Write [service.mcp] with enabled = true or false.', zh: tableAdvice },
    });
    return { ...undeclared.mcp, enabled: false };
  }
  noteUnknownKeys(section, given);
  const readOnly = readFlag(section, given, 'read_only') ?? undeclared.mcp.readOnly;
  const destructive = readFlag(section, given, 'destructive') ?? !readOnly;
  if (readOnly && destructive)
    note(section, ['destructive'], {
      en: 'read_only and destructive contradict each other; the script counts as destructive',
      zh: 'read_only 与 destructive 矛盾，按 destructive 处理',
      advice: {
        en: 'Remove read_only if a run changes anything. Otherwise remove destructive.',
        zh: '运行会改动内容时请删除 read_only，否则请删除 destructive。',
      },
    });
  return {
    enabled: readEnabled(section, given),
    name: readName(section, given),
    readOnly: readOnly && !destructive,
    destructive,
    idempotent: readFlag(section, given, 'idempotent') ?? undeclared.mcp.idempotent,
    openWorld: readFlag(section, given, 'open_world') ?? undeclared.mcp.openWorld,
  };
}

const tableAdvice = '请写成 [service.mcp]，并填写 enabled = true 或 false。';

type Flag = Exclude<keyof typeof McpSchema.properties, 'name'>;

function readEnabled(section: SectionReader, given: JsonObject): boolean | null {
  const enabled = readFlag(section, given, 'enabled');
  return enabled ?? (given.enabled === undefined ? null : false);
}

/** Null if the manifest does not set it, or sets it to something else than a boolean. */
function readFlag(section: SectionReader, given: JsonObject, name: Flag): boolean | null {
  const value = given[name];
  if (value === undefined || typeof value === 'boolean') return value ?? null;
  const found = brief(value);
  const effect: Text =
    name === 'enabled'
      ? { en: 'agents do not get the script', zh: '不向智能体提供该脚本' }
      : { en: 'it is ignored', zh: '已忽略' };
  note(section, [name], {
    en: `${name} must be true or false, not ${found}; ${effect.en}`,
    zh: `${name} 应为 true 或 false，而不是 ${found}；${effect.zh}`,
    advice: { en: 'Write true or false without quotes.', zh: '请填写不带引号的 true 或 false。' },
  });
  return null;
}

function readName(section: SectionReader, { name }: JsonObject): string | null {
  if (name === undefined || Value.Check(McpSchema.properties.name, name)) return name ?? null;
  note(section, ['name'], {
    en: `name ${brief(name)} cannot be used; the name of the tool is made from the slug instead`,
    zh: `无法使用 name ${brief(name)}，改为由 slug 生成工具名`,
    advice: {
      en: 'Use 1 to 48 letters a-z and A-Z, digits, _ and -.',
      zh: '请使用 1 到 48 个英文字母、数字、_ 和 -。',
    },
  });
  return null;
}

function noteUnknownKeys(section: SectionReader, given: JsonObject): void {
  for (const key of Object.keys(given)) {
    if (Object.hasOwn(McpSchema.properties, key)) continue;
    const full = `${section.rootName}.mcp.${key}`;
    note(section, [key], {
      en: `Unknown field ${full} is ignored`,
      zh: `未知的字段 ${full}，已忽略`,
      advice: unknownAdvice,
    });
  }
}

function note(section: SectionReader, path: readonly string[], message: Text & { advice: Text }): void {
  section.report('note', [section.rootName, 'mcp', ...path], message);
}
