import { basename } from 'node:path';

import { formatBytes } from '../../contract/quantities.ts';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json.ts';
import type { Language, Text } from '../../shared/text.ts';
import type { DoctorContext } from '../doctor-context.ts';
import { nameSome, note, ok, type Result, type Results } from '../finding.ts';
import { askHealth } from './check-service.ts';

/** Reports the warm interpreters, their memory and how many runs used them. */
export async function checkWarm({ home, service }: DoctorContext, signal: AbortSignal): Promise<Results> {
  if (service === null) return [];
  const health = await askHealth(service.url, service.token ? home : null, signal);
  // checkService reports other problems of the service. Older services do not send `warm`.
  const warm = health.kind === 'well' ? health.answer.warm : undefined;
  return isJsonObject(warm) ? [judgeWarm(warm)] : [];
}

export function judgeWarm(warm: JsonObject): Result {
  const budget = countIn(warm.budget_bytes);
  if (budget === 0)
    return ok({
      en: 'Warm interpreters: disabled (warm_memory_mb is 0); every run starts its own interpreter',
      zh: '预热的解释器：已关闭（warm_memory_mb 为 0），每次运行都会启动新的解释器',
    });
  const [waiting, use] = [describeWaiting(warm.interpreters), describeUse(warm)];
  const [taken, most] = [formatBytes(countIn(warm.memory_bytes)), formatBytes(budget)];
  const what = {
    en: `Warm interpreters: ${waiting.en}, ${taken} of ${most}; ${use.en}`,
    zh: `预热的解释器：${waiting.zh}，占用 ${taken}（上限 ${most}）；${use.zh}`,
  };
  if (warm.short_of_memory !== true) return ok(what);
  return note(
    {
      en: `${what.en}; no more are started, because the machine is short of memory`,
      zh: `${what.zh}；内存不足，暂不预热`,
    },
    {
      en: 'Close programs that use much memory. Until then, runs start more slowly. To disable warm interpreters and this note, set warm_memory_mb to 0.',
      zh: '请关闭占用大量内存的程序，在此之前脚本启动会慢一些。如不想再看到此提示，请将 warm_memory_mb 设为 0。',
    },
  );
}

function describeWaiting(value: Json | undefined): Text {
  const kinds = (Array.isArray(value) ? value : [])
    .filter((kind) => isJsonObject(kind))
    .filter((kind) => countIn(kind.waiting) > 0);
  if (kinds.length === 0) return { en: 'none waiting', zh: '没有待命的' };
  const waiting = kinds.reduce((sum, kind) => sum + countIn(kind.waiting), 0);
  const namesIn = (language: Language) =>
    nameSome([...new Set(kinds.map((kind) => nameOf(kind, language)))])[language];
  return { en: `${waiting} waiting (${namesIn('en')})`, zh: `${waiting} 个待命（${namesIn('zh')}）` };
}

function nameOf({ path, preload }: JsonObject, language: Language): string {
  const modules = Array.isArray(preload) ? preload : [];
  const name = basename(String(path));
  if (modules.length === 0) return name;
  return language === 'zh' ? `${name} 带 ${modules.join('、')}` : `${name} with ${modules.join(' and ')}`;
}

function describeUse(warm: JsonObject): Text {
  const hits = countIn(warm.hits);
  const runs = hits + countIn(warm.misses);
  if (runs === 0) return { en: 'no run could use one yet', zh: '还没有运行能用上' };
  return {
    en: `${hits} of ${runs} runs that could start warm did`,
    zh: `${runs} 次可预热的运行中有 ${hits} 次用上了`,
  };
}

function countIn(value: Json | undefined): number {
  return typeof value === 'number' ? value : 0;
}
