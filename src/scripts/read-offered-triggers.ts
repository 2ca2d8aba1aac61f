import { type MenuTarget, menuTargets, triggerKinds } from '../contract/values.ts';
import { isJsonObject, type Json, type JsonObject } from '../shared/json.ts';
import type { Text } from '../shared/text.ts';
import type { SectionReader } from './read-section.ts';
import type { OfferedMenu, OfferedShortcut, OfferedTriggers, SuggestedTrigger } from './script.ts';

/**
 * Reads what a script offers. Existing packages wrote this table before Hob read it, so a value that cannot be used is noted and
 * ignored, and never stops the script.
 */
export function readOfferedTriggers(section: SectionReader, exts: readonly string[]): OfferedTriggers {
  const given = section.root.triggers;
  if (given === undefined) return { contextMenu: null, shortcut: null, suggestions: [] };
  const table = isJsonObject(given) ? given : {};
  if (!isJsonObject(given)) noteUnused(section, []);
  for (const key of Object.keys(table)) if (!knownKeys.has(key)) noteUnused(section, [key]);
  return {
    contextMenu: readMenu(section, table.context_menu, exts),
    shortcut: readShortcut(section, table.shortcut, exts),
    suggestions: triggerKinds.flatMap((kind) =>
      listOf(table[kind]).flatMap((item, index) => {
        const suggestion = readSuggestion(kind, item);
        if (suggestion === null) noteUnused(section, [kind, index]);
        return suggestion ?? [];
      }),
    ),
  };
}

/** `quick_copy` belongs to another program. */
const knownKeys: ReadonlySet<string> = new Set(['context_menu', 'shortcut', 'quick_copy', ...triggerKinds]);

function readMenu(
  section: SectionReader,
  given: Json | undefined,
  exts: readonly string[],
): OfferedMenu | null {
  if (!isEnabled(section, 'context_menu', given)) return null;
  const wanted = listOf(given.targets ?? 'files');
  const targets = menuTargets.filter((target) => wanted.includes(target));
  for (const [index, target] of wanted.entries())
    if (!isTarget(target)) noteUnused(section, ['context_menu', 'targets', index]);
  return targets.length === 0 ? null : { targets, filters: readFilters(given.filters, exts) };
}

function readShortcut(
  section: SectionReader,
  given: Json | undefined,
  exts: readonly string[],
): OfferedShortcut | null {
  if (!isEnabled(section, 'shortcut', given)) return null;
  const { input_type: wanted = '' } = given;
  const asksFor = wanted === 'files' || wanted === 'folders' ? wanted : null;
  if (asksFor === null && wanted !== '') noteUnused(section, ['shortcut', 'input_type']);
  return { asksFor, filters: readFilters(given.filters, exts) };
}

function readSuggestion(kind: SuggestedTrigger['kind'], item: Json): SuggestedTrigger | null {
  if (!isJsonObject(item) || typeof item.name !== 'string' || item.name === '') return null;
  const { name, ...values } = item;
  return { kind, name, values };
}

function isEnabled(section: SectionReader, key: string, given: Json | undefined): given is JsonObject {
  if (given === undefined) return false;
  if (!isJsonObject(given)) {
    noteUnused(section, [key]);
    return false;
  }
  return given.enabled === true;
}

function isTarget(value: Json): value is MenuTarget {
  return menuTargets.some((target) => target === value);
}

/**
 * Extensions in lower case with a dot; empty: all files. `mp4`, `*.mp4` and `.MP4` mean the same. Without filters, the extensions of
 * the main input apply.
 */
export function readFilters(given: Json | undefined, exts: readonly string[]): string[] {
  const wanted = given === undefined ? exts : listOf(given);
  const filters = wanted
    .filter((item) => typeof item === 'string')
    .map((item) => item.trim().toLowerCase())
    .filter((item) => item !== '' && item !== '*' && item !== '.*' && item !== '*.*')
    .map((item) => item.replace(/^\*?\.?/, '.'));
  return [...new Set(filters)];
}

function listOf(value: Json | undefined): readonly Json[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

const advice: Text = {
  en: 'docs/triggers.md describes what a manifest can offer.',
  zh: '清单可以提供的触发方式见 docs/triggers.md。',
};

function noteUnused(section: SectionReader, path: readonly (string | number)[]): void {
  const full = [section.rootName, 'triggers', ...path];
  const name = full.map((step) => (typeof step === 'number' ? `[${step}]` : step)).join('.');
  section.report('note', full, {
    en: `${name} cannot be used and is ignored`,
    zh: `无法使用 ${name}，已忽略`,
    advice,
  });
}
