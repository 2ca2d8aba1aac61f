import { isAbsolute, normalize } from 'node:path';

import Type from 'typebox';
import { Compile, type Validator } from 'typebox/compile';

import { commonFields, fieldsOfKind } from '../contract/triggers.ts';
import { type Retries, type TriggerKind, triggerKinds } from '../contract/values.ts';
import { readData, readParams } from '../runs/inputs.ts';
import { findMismatches } from '../scripts/describe-mismatch.ts';
import { readFilters } from '../scripts/read-offered-triggers.ts';
import { paramMismatch } from '../scripts/read-params.ts';
import { readRetries } from '../scripts/retries.ts';
import type { Script } from '../scripts/script.ts';
import { brief } from '../shared/brief.ts';
import { parseDuration } from '../shared/durations.ts';
import { AppError } from '../shared/errors.ts';
import { expandHome } from '../shared/expand-home.ts';
import { isJsonObject, type Json, type JsonObject } from '../shared/json.ts';
import type { Text } from '../shared/text.ts';
import { homeProblem } from './folder/words.ts';
import { checkCron, checkZone } from './schedule/cron.ts';
import type { FolderTrigger, Trigger, TriggerEntry, TriggerProblem } from './trigger.ts';
import { emptyEvent } from './webhook/event-of.ts';
import { missingSecret } from './webhook/hook-words.ts';

/** The script that an entry names, as the catalogue knows it now. */
export type FoundScript =
  | { readonly kind: 'found'; readonly script: Script }
  /** `unusable`: its manifest is invalid, or another script has its id. */
  | { readonly kind: 'missing' | 'unusable'; readonly id: string | null };

export interface ReadContext {
  findScript: (idOrSlug: string) => FoundScript;
  /** Whether this secret is stored. */
  hasSecret: (name: string) => boolean;
  /** Paths of the home: as given, and with its links resolved. */
  homePaths: readonly string[];
}

const idPattern = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;

export const idAdvice: Text = {
  en: 'Use 1 to 64 lower-case letters a-z, digits and hyphens.',
  zh: '请使用 1 到 64 个小写字母 a-z、数字或连字符。',
};

export function isTriggerId(id: string): boolean {
  return idPattern.test(id);
}

/** Reads one entry of triggers.toml. A mistake becomes a problem of the entry, so that the other entries still work. */
export function readEntry(written: JsonObject, line: number | null, context: ReadContext): TriggerEntry {
  const problems: TriggerProblem[] = [];
  const report = (field: string | null, message: Text, advice: Text) => {
    problems.push({ field, message, advice });
  };
  const id = typeof written.id === 'string' ? written.id : '';
  if (!isTriggerId(id))
    report(
      'id',
      id === ''
        ? { en: 'id is missing', zh: '缺少 id' }
        : { en: `id ${brief(id)} cannot be used`, zh: `id ${brief(id)} 无效` },
      idAdvice,
    );
  const script = typeof written.script === 'string' ? written.script : null;
  const found = script === null ? null : context.findScript(script);
  if (script === null) report('script', { en: 'script is missing', zh: '缺少 script' }, scriptAdvice);
  const known = found?.kind === 'found' ? found.script : null;
  const { values, from } = applySuggestion(written, known, report);
  const kind = triggerKinds.find((one) => one === values.kind) ?? null;
  if (kind === null)
    report(
      'kind',
      values.kind === undefined
        ? { en: 'kind is missing', zh: '缺少 kind' }
        : { en: `Unknown kind ${brief(values.kind)}`, zh: `未知的 kind ${brief(values.kind)}` },
      {
        en: `Set kind to one of ${triggerKinds.join(', ')}.`,
        zh: `kind 可以是 ${triggerKinds.join('、')}。`,
      },
    );
  else checkFields(kind, values, report);
  const enabled = written.enabled !== false;
  const isReadable = kind !== null && problems.length === 0;
  const trigger =
    isReadable && script !== null && known !== null
      ? readTrigger({ id, script, kind, values, known, context, report })
      : null;
  if (found?.kind === 'unusable' && isReadable)
    report(
      'script',
      { en: `The script "${script}" cannot run`, zh: `脚本“${script}”无法运行` },
      unusableAdvice,
    );
  if (found?.kind === 'missing' && isReadable)
    report('script', { en: `There is no script "${script}"`, zh: `没有脚本“${script}”` }, scriptAdvice);
  return {
    id,
    kind,
    enabled,
    script,
    scriptId: known?.id ?? (found?.kind === 'found' || found === null ? null : found.id),
    scriptName: known?.name ?? null,
    from,
    line,
    written,
    values,
    isScriptMissing: found?.kind === 'missing',
    trigger: problems.length === 0 ? trigger : null,
    problems,
  };
}

const scriptAdvice: Text = {
  en: 'Write the id or slug of a script; `hob list` shows them. The entry works again when the script is back.',
  zh: '请填写脚本的 id 或 slug（可用 hob list 查看）。脚本恢复后该触发器会重新生效。',
};

const unusableAdvice: Text = {
  en: '`hob check` shows the problems of its manifest. The entry works again when they are corrected.',
  zh: '其清单的问题可用 hob check 查看。修正后该触发器会重新生效。',
};

type ReportProblem = (field: string | null, message: Text, advice: Text) => void;

/** An entry with `from` takes its values from the manifest; its own values win. */
function applySuggestion(
  written: JsonObject,
  script: Script | null,
  report: ReportProblem,
): { values: JsonObject; from: string | null } {
  const { id: _, script: __, from, ...own } = written;
  if (from === undefined) return { values: own, from: null };
  const name = typeof from === 'string' && from.startsWith('package:') ? from.slice('package:'.length) : null;
  if (name === null) {
    report(
      'from',
      { en: `from ${brief(from)} cannot be used`, zh: `from ${brief(from)} 无效` },
      { en: 'Write "package:" and the name of a suggestion.', zh: '请写成 "package:" 加上建议的名称。' },
    );
    return { values: own, from: null };
  }
  if (script === null) return { values: own, from: name };
  const offered = script.triggers.suggestions.filter((one) => one.name === name);
  const suggestion = offered.find(({ kind }) => own.kind === undefined || kind === own.kind);
  if (suggestion === undefined) {
    const names = script.triggers.suggestions.map((one) => one.name);
    report(
      'from',
      {
        en: `The manifest of "${script.name}" suggests no trigger "${name}"`,
        zh: `脚本“${script.name}”的清单中没有名为“${name}”的触发器建议`,
      },
      names.length === 0
        ? { en: 'Remove from, and write the fields here.', zh: '请删除 from，并在此处填写各字段。' }
        : { en: `It suggests ${names.join(', ')}.`, zh: `可用的建议：${names.join('、')}。` },
    );
    return { values: own, from: name };
  }
  return { values: { kind: suggestion.kind, ...suggestion.values, ...own }, from: name };
}

const schemas = {
  schedule: Type.Object({ ...commonFields, ...fieldsOfKind.schedule }),
  folder: Type.Object({ ...commonFields, ...fieldsOfKind.folder }),
  webhook: Type.Object({ ...commonFields, ...fieldsOfKind.webhook }),
};

/** Compiled on first use. Describing mismatches takes a hundred times as long, and there may be thousands of entries. */
const validators = new Map<TriggerKind, Validator>();

function matches(kind: TriggerKind, values: JsonObject): boolean {
  const validator = validators.get(kind) ?? Compile(schemas[kind]);
  validators.set(kind, validator);
  return validator.Check(values);
}

function checkFields(kind: TriggerKind, values: JsonObject, report: ReportProblem): void {
  const schema = schemas[kind];
  for (const { path, message } of matches(kind, values) ? [] : findMismatches(schema, values))
    report(typeof path[0] === 'string' ? path[0] : null, message, fieldAdvice);
  for (const name of Object.keys(values)) {
    if (Object.hasOwn(schema.properties, name)) continue;
    const others = triggerKinds.filter((one) => Object.hasOwn(fieldsOfKind[one], name));
    report(
      name,
      others.length === 0
        ? { en: `Unknown field ${name}`, zh: `未知的字段 ${name}` }
        : { en: `A ${kind} has no field ${name}`, zh: `${kind} 类型没有字段 ${name}` },
      others.length === 0
        ? { en: 'Correct its name, or remove it.', zh: '请修正名称，或将其删除。' }
        : { en: `Remove it, or set kind = "${others[0]}".`, zh: `请删除，或设为 kind = "${others[0]}"。` },
    );
  }
}

const fieldAdvice: Text = {
  en: 'Correct this value. docs/triggers.md lists every field.',
  zh: '请修正该值，字段说明见 docs/triggers.md。',
};

interface Readable {
  id: string;
  script: string;
  kind: TriggerKind;
  values: JsonObject;
  known: Script;
  context: ReadContext;
  report: ReportProblem;
}

/** Call it only with values that match the schema of their kind. */
function readTrigger({ id, script, kind, values, known, context, report }: Readable): Trigger {
  const duration = (
    field: string,
    fallbackMs: number,
    [leastMs, mostMs]: readonly [number, number],
  ): number => {
    const text = values[field];
    if (typeof text !== 'string') return fallbackMs;
    const ms = parseDuration(text);
    if (ms !== null && ms >= leastMs && ms <= mostMs) return ms;
    report(
      field,
      ms === null
        ? { en: `${field} ${brief(text)} is not a duration`, zh: `${field} ${brief(text)} 不是时长` }
        : {
            en: `${field} must be from ${wordsOf(leastMs)} to ${wordsOf(mostMs)}, not ${brief(text)}`,
            zh: `${field} 应在 ${wordsOf(leastMs)} 到 ${wordsOf(mostMs)} 之间，而不是 ${brief(text)}`,
          },
      {
        en: 'Write a number and a unit, such as "10s", "15m", "2h" or "1d".',
        zh: '请写数字和单位，例如 "10s"、"15m"、"2h" 或 "1d"。',
      },
    );
    return fallbackMs;
  };
  const base = {
    id,
    script,
    scriptId: known.id,
    data: values.data,
    params: isJsonObject(values.params) ? values.params : {},
    retries: retriesOf(values.retries, report),
    valuesProblem: valuesProblemOf(kind, values, known),
  };
  switch (kind) {
    case 'schedule': {
      const cron = textOf(values.cron);
      const timezone = textOf(values.timezone);
      if ((cron === null) === (values.every === undefined))
        report(
          cron === null ? 'cron' : 'every',
          cron === null
            ? { en: 'A schedule needs cron or every', zh: '计划需要 cron 或 every' }
            : { en: 'A schedule has cron or every, not both', zh: 'cron 和 every 只能写一个' },
          {
            en: 'Write cron = "30 2 * * *" or every = "15m".',
            zh: '请写 cron = "30 2 * * *" 或 every = "15m"。',
          },
        );
      const inCron = cron === null ? null : checkCron(cron, null);
      if (inCron !== null) report('cron', inCron.message, inCron.advice);
      const inZone = timezone === null ? null : checkZone(timezone);
      if (inZone !== null) report('timezone', inZone.message, inZone.advice);
      const everyMs = duration('every', 0, [secondMs, 366 * dayMs]);
      return {
        ...base,
        kind,
        cron,
        everyMs: values.every === undefined ? null : everyMs,
        timezone,
        missed: oneOf(values.missed, ['skip', 'once', 'all'], 'once'),
        missedWithinMs: duration('missed_within', dayMs, [0, 366 * dayMs]),
        overlap: oneOf(values.overlap, ['skip', 'queue', 'allow'], 'skip'),
        jitterMs: duration('jitter', 0, [0, dayMs]),
      };
    }
    case 'folder': {
      if (known.input === null)
        report(
          'script',
          {
            en: `"${known.name}" has no main input that could receive the paths`,
            zh: `脚本“${known.name}”没有可以接收路径的主输入`,
          },
          { en: 'Add [[service.inputs]] to its manifest.', zh: '请在其清单中添加 [[service.inputs]]。' },
        );
      const path = expandHome(textOf(values.path) ?? '');
      if (!isAbsolute(path) || path.includes('\0'))
        report(
          'path',
          path === ''
            ? { en: 'path is missing', zh: '缺少 path' }
            : { en: `path ${brief(path)} is not an absolute path`, zh: `path ${brief(path)} 不是绝对路径` },
          { en: 'Write the whole path, or one that begins with "~/".', zh: '请写完整路径，或以 "~/" 开头。' },
        );
      const trigger: FolderTrigger = {
        ...base,
        kind,
        path: normalize(path).replace(/(?<=.)[/\\]+$/, ''),
        recursive: values.recursive === true,
        filters: readFilters(values.filters, known.input?.exts ?? []),
        settleMs: duration('settle', 2 * secondMs, [0, dayMs / 24]),
        batchMs: values.batch === undefined ? null : duration('batch', 0, [0, dayMs / 24]),
        after: oneOf(values.after, ['leave', 'move'], 'leave'),
      };
      const inHome = homeProblem(trigger, context.homePaths);
      if (inHome !== null) report('path', inHome.message, inHome.advice);
      return trigger;
    }
    case 'webhook': {
      const secret = textOf(values.secret);
      if (secret === null)
        report(
          'secret',
          { en: 'A webhook needs a secret', zh: 'Webhook 需要密钥' },
          {
            en: 'Store it with `hob secret set NAME` and write secret = "NAME".',
            zh: '请用 hob secret set NAME 保存，并写 secret = "NAME"。',
          },
        );
      else if (!context.hasSecret(secret)) {
        const { message, advice } = missingSecret(secret);
        report('secret', message, advice);
      }
      const into = textOf(values.into) ?? 'event';
      const param = known.params.find(({ name }) => name === into);
      const expected = param === undefined ? null : paramMismatch(param, emptyEvent);
      if (expected !== null)
        report(
          'into',
          {
            en: `The param "${into}" of "${known.name}" must be ${expected}, so it cannot receive a delivery`,
            zh: `脚本“${known.name}”的参数“${into}”应为 ${expected}，无法接收请求的内容`,
          },
          {
            en: 'Declare it with type = "dict" in the manifest, or name another param in into.',
            zh: '请在清单中将其声明为 type = "dict"，或用 into 指定其他参数。',
          },
        );
      return {
        ...base,
        kind,
        signature: oneOf(values.signature, ['github', 'stripe', 'standard', 'token'], 'token'),
        into,
        secret: secret ?? '',
      };
    }
  }
}

/** Why the script would refuse each run; null if it would not. */
function valuesProblemOf(kind: TriggerKind, values: JsonObject, known: Script): TriggerProblem | null {
  // The delivery itself becomes a param.
  const delivery = kind === 'webhook' ? (textOf(values.into) ?? 'event') : null;
  const params = known.params.filter(({ name }) => name !== delivery);
  try {
    readParams({ ...known, params }, values.params);
    // The other kinds bring their data.
    if (kind === 'schedule') readData(known, values.data);
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { field: error.fields[0] ?? null, message: error.text, advice: error.hint ?? valuesAdvice };
  }
}

const valuesAdvice: Text = {
  en: 'Correct the values of this trigger, or what the manifest of the script declares.',
  zh: '请修正该触发器的值，或修正脚本清单中的声明。',
};

function retriesOf(value: Json | undefined, report: ReportProblem): Retries | null | undefined {
  if (value === undefined) return undefined;
  const reading = readRetries(value);
  if (reading.kind === 'valid') return reading.retries;
  report(reading.field, reading.message, {
    en: 'Write retries = { attempts = 3, backoff = "1m" }, or remove it.',
    zh: '请写成 retries = { attempts = 3, backoff = "1m" }，或将其删除。',
  });
  return undefined;
}

const secondMs = 1000;
const dayMs = 86_400_000;

function wordsOf(ms: number): string {
  if (ms % dayMs === 0) return ms === 0 ? '0s' : `${ms / dayMs}d`;
  if (ms % 3_600_000 === 0) return `${ms / 3_600_000}h`;
  return `${ms / secondMs}s`;
}

const textOf = (value: Json | undefined) => (typeof value === 'string' ? value : null);

function oneOf<Word extends string>(value: Json | undefined, words: readonly Word[], fallback: Word): Word {
  return words.find((word) => word === value) ?? fallback;
}
