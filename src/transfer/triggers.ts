import { join } from 'node:path';

import { AppError, errnoOf } from '../shared/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../shared/json.ts';
import { createPrivateFile } from '../shared/private-files.ts';
import { changeEntry, type FileState, TriggerFile } from '../triggers/trigger-file.ts';
import type { Skipped } from './export-format.ts';
import { triggersName } from './export-format.ts';

export interface ImportedTriggers {
  readonly ids: readonly string[];
  /** The triggers that were on in the exported home. */
  readonly wereOn: readonly string[];
  /** Names of secrets that they need. An export contains no secrets. */
  readonly secrets: readonly string[];
}

const none: ImportedTriggers = { ids: [], wereOn: [], secrets: [] };

/** The names of the secret params of a script; null if the script is not known. */
export type FindSecretParams = (script: Json | undefined) => ReadonlySet<string> | null;

/**
 * The text of triggers.toml without secret params; null if nothing of it can be exported. The params of a script that is not known may
 * be secret.
 */
export async function portableTriggers(
  home: string,
  secretParams: FindSecretParams,
  skipped: Skipped[],
): Promise<string | null> {
  const file = new TriggerFile(join(home, triggersName));
  try {
    const entries = await entriesOf(file);
    let { state } = file;
    if (state.kind === 'broken' || state.text === '') return null;
    for (const [index, { params, ...fields }] of entries.entries()) {
      if (!isJsonObject(params)) continue;
      const secrets = secretParams(fields.script);
      const left = Object.entries(params).filter(([name]) => secrets !== null && !secrets.has(name));
      if (left.length === Object.keys(params).length) continue;
      const entry = { ...fields, ...(left.length > 0 && { params: Object.fromEntries(left) }) };
      state = changeEntry(file.path, state, { index, entry });
      skipped.push({
        what: `${triggersName}: ${typeof fields.id === 'string' ? fields.id : index + 1}`,
        why:
          secrets === null
            ? {
                en: 'params of a script that does not exist may be secret',
                zh: '脚本不存在，其参数可能是密文',
              }
            : { en: 'secret params are not exported', zh: '不导出密文参数' },
      });
    }
    return state.text;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    skipped.push({ what: triggersName, why: error.text });
    return null;
  }
}

/**
 * Adds the triggers of an export to a home, all switched off: an export of a stranger must not start a run, and the old machine
 * may still fire its own. An entry whose id the home already has is left out.
 */
export async function placeTriggers(
  staging: string,
  home: string,
  skipped: Skipped[],
): Promise<ImportedTriggers> {
  const staged = new TriggerFile(join(staging, triggersName));
  const target = new TriggerFile(join(home, triggersName));
  const placed: JsonObject[] = [];
  try {
    const entries = await entriesOf(staged);
    if (entries.length === 0) return none;
    const known = new Set((await entriesOf(target)).map(({ id }) => id));
    const fresh = entries.filter(({ id }) => !known.has(id));
    for (const { id } of entries)
      if (known.has(id))
        skipped.push({
          what: `${triggersName}: ${String(id)}`,
          why: { en: 'this home already has a trigger with this id', zh: '已有相同 ID 的触发器' },
        });
    // They are switched off before they are in the home, so that an interrupted import leaves none of them on.
    if (await createWhole(staged, target)) return describe(fresh);
    for (const entry of fresh) {
      await target.edit(() => ({ index: null, entry: switchedOff(entry) }));
      placed.push(entry);
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    skipped.push({ what: triggersName, why: error.text });
  }
  return describe(placed);
}

async function entriesOf(file: TriggerFile): Promise<JsonObject[]> {
  let found: JsonObject[] = [];
  await file.edit((entries) => {
    found = entries.map(({ fields }) => fields);
    return null;
  });
  return found;
}

/**
 * Keeps the comments of the exported file. Returns false if the home has a file already, or the exported one has a form that cannot be
 * edited.
 */
async function createWhole(staged: TriggerFile, target: TriggerFile): Promise<boolean> {
  const text = textSwitchedOff(staged.path, staged.state);
  if (text === null) return false;
  try {
    await createPrivateFile(target.path, text, { durable: true });
    return true;
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
    return false;
  }
}

function textSwitchedOff(path: string, state: FileState): string | null {
  if (state.kind === 'broken') return null;
  let off = state;
  try {
    for (const [index, { fields }] of state.entries.entries())
      if (fields.enabled !== false) off = changeEntry(path, off, { index, entry: switchedOff(fields) });
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
  return off.entries.every(({ fields }) => fields.enabled === false) ? off.text : null;
}

function switchedOff(entry: JsonObject): JsonObject {
  return { ...entry, enabled: false };
}

function describe(entries: readonly JsonObject[]): ImportedTriggers {
  const idsOf = (some: readonly JsonObject[]) =>
    some.flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
  const secrets = entries.flatMap(({ secret }) => (typeof secret === 'string' ? [secret] : []));
  return {
    ids: idsOf(entries),
    wereOn: idsOf(entries.filter(({ enabled }) => enabled !== false)),
    secrets: [...new Set(secrets)].sort(),
  };
}
