import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import {
  type InterpretedLanguage,
  installAdvice,
  interpreterSpec,
  languageRecords,
} from '../../scripts/languages.ts';
import type { Unavailable } from '../../scripts/runtimes/command.ts';
import { findMissingBinaries } from '../../scripts/runtimes/find-binaries.ts';
import {
  interpreterLanguage,
  rejectOwnPython,
  resolveCommand,
} from '../../scripts/runtimes/resolve-command.ts';
import { surveyRuntimes } from '../../scripts/runtimes/survey-runtimes.ts';
import type { Script } from '../../scripts/script.ts';
import { isExecutable } from '../../shared/find-program.ts';
import { readRegularFile } from '../../shared/read-regular-file.ts';
import type { Text } from '../../shared/text.ts';
import type { DoctorContext } from '../doctor-context.ts';
import {
  nameSome,
  notChecked,
  note,
  ok,
  problem,
  type Result,
  type Results,
  splitAdvice,
} from '../finding.ts';

/** Longer than any working interpreter needs. */
const slowMs = 2900;

type Judgement = Unavailable | { readonly kind: 'not-checked'; readonly message: Text } | null;

const maxConfigBytes = 64 * 1024;

/** Higher than any patch version of Python. */
const lastPatch = 999;

/** Reports the problems of manifests and entries, each with its place. */
export async function checkScripts({ scripts: readScripts }: DoctorContext): Promise<Results> {
  const { scripts, problems } = await readScripts();
  const count = {
    en: scripts.length === 1 ? '1 script loaded' : `${scripts.length} scripts loaded`,
    zh: `${scripts.length} 个脚本可以读取`,
  };
  return [
    ...problems.map(({ severity, file, line, message, advice }): Result => {
      const place = line === null ? file : `${file}:${line}`;
      return {
        state: severity === 'error' ? 'problem' : 'note',
        what: { en: `${place}: ${message.en}`, zh: `${place}：${message.zh}` },
        next: advice.en === '' ? null : advice,
      };
    }),
    ok(count),
  ];
}

/** Checks the programs and versions that scripts need. */
export async function checkNeeds(context: DoctorContext): Promise<Results> {
  const { scripts } = await context.scripts();
  const lacks = new Map<string, { message: Text; isSure: boolean; users: Script[] }>();
  for (const script of scripts) {
    // checkRuntimes reports a missing language once for all scripts.
    if (await lacksLanguage(script, context)) continue;
    const lack = await findLack(script, context);
    if (lack === null) continue;
    const { message, isSure } = lack;
    const others = lacks.get(message.en)?.users ?? [];
    lacks.set(message.en, { message, isSure, users: [...others, script] });
  }
  return [...lacks.values()].map(({ message, isSure, users }) => {
    const { what, next } = splitAdvice(message);
    // The folder may be shared with another operating system, so such a script is only a note.
    const isForeign = users.every(({ runtime }) => languageRecords[runtime.language].platform === 'win32');
    const names = nameSome(users.map(({ name }) => name));
    return {
      state: isForeign || !isSure ? 'note' : 'problem',
      what: { en: `${names.en}: ${what.en}`, zh: `${names.zh}：${what.zh}` },
      next,
    };
  });
}

async function findLack(
  script: Script,
  context: DoctorContext,
): Promise<{ message: Text; isSure: boolean } | null> {
  const { finder, environment: env, platform, programs } = context;
  const missing = await findMissingBinaries(script, env);
  if (missing !== null) return { message: missing.message, isSure: true };
  const own = languageRecords[script.runtime.language].ownInterpreter?.(script.folder, platform) ?? null;
  if (own !== null) {
    const judgement = await judgeOwnPython(script, own);
    return judgement && { message: judgement.message, isSure: judgement.kind === 'unavailable' };
  }
  const resolution = await resolveCommand(script, { finder, env, platform });
  if (resolution.kind !== 'unavailable') return null;
  // The service may use an interpreter that hob doctor does not start.
  const language = interpreterLanguage(script.runtime.language);
  const unchecked = language === null ? [] : await programs.foreignInterpreters(finder, language);
  return { message: resolution.message, isSure: unchecked.length === 0 };
}

async function lacksLanguage(script: Script, { finder, platform }: DoctorContext): Promise<boolean> {
  const language = interpreterLanguage(script.runtime.language);
  if (language === null || (languageRecords[language].platform ?? platform) !== platform) return false;
  const search = await finder.find(language, null);
  return search.kind === 'none';
}

/** Returns why the Python in the folder of a script cannot run it, or null. Reads files only: that Python is never started. */
async function judgeOwnPython(script: Script, path: string): Promise<Judgement> {
  // A broken link is not executable either.
  if (!(await isExecutable(path))) return rejectOwnPython(script, null);
  const version = (await configuredVersion(path)) ?? (await linkedVersion(path));
  if (version === null) return versionUnknown(script);
  const judge = (full: string) => rejectOwnPython(script, { path, version: full });
  if (version.split('.').length > 2) return judge(version);
  const [first, last] = [judge(`${version}.0`), judge(`${version}.${lastPatch}`)];
  if ((first === null) !== (last === null)) return versionUnknown(script);
  return first === null ? null : rejectOwnPython(script, { path, version });
}

/** The Python version of the environment. `venv` writes `version`; `virtualenv` and `uv` write `version_info`. */
async function configuredVersion(path: string): Promise<string | null> {
  const read = await readRegularFile(join(dirname(dirname(path)), 'pyvenv.cfg'), {
    maxBytes: maxConfigBytes,
  });
  if (read.kind !== 'content') return null;
  return /^version(?:_info)?[ \t]*=[ \t]*(\d+\.\d+(?:\.\d+)?)/im.exec(read.bytes.toString())?.[1] ?? null;
}

/** The version in the name of the link target, such as python3.11. */
async function linkedVersion(path: string): Promise<string | null> {
  const name = basename(await realpath(path).catch(() => path));
  return /^python(\d+\.\d+)(?:\.exe)?$/i.exec(name)?.[1] ?? null;
}

function versionUnknown({ folder }: Script): Judgement {
  const environment = join(folder, '.venv');
  return {
    kind: 'not-checked',
    message: {
      en: `The Python in ${environment} was not checked: no file states its version, and hob doctor never starts programs of a script. Run the script to see whether it works.`,
      zh: `未检查 ${environment} 中的 Python：没有文件说明其版本，而 hob doctor 不会启动脚本自带的程序。运行一次该脚本即可知道它能否使用。`,
    },
  };
}

/** Checks the interpreter of every language. A missing interpreter is a problem only if a script needs it. */
export async function checkRuntimes(context: DoctorContext): Promise<Results> {
  const { scripts } = await context.scripts();
  const findings: Result[] = [];
  const idle: string[] = [];
  const unchecked: string[] = [];
  for (const { language, search, tookMs, users } of await surveyRuntimes(scripts, context)) {
    if (tookMs > slowMs) findings.push(slow(language));
    const foreign = await context.programs.foreignInterpreters(context.finder, language);
    unchecked.push(...foreign);
    if (search.kind === 'found') {
      const { version, path } = search.interpreter;
      const name = interpreterSpec(language).isVersionless ? language : `${language} ${version}`;
      findings.push(ok({ en: `${name} (${path})`, zh: `${name}（${path}）` }));
    } else if (foreign.length > 0) {
      // notChecked reports all of them together.
    } else if (users.length > 0) {
      const names = nameSome(users.map(({ name }) => name));
      const what = {
        en: `${language} is not installed, but needed by ${names.en}`,
        zh: `未安装 ${language}，而 ${names.zh} 需要它`,
      };
      findings.push(problem(what, installAdvice(language)));
    } else idle.push(language);
  }
  if (idle.length > 0)
    findings.push(
      ok({
        en: `Not installed and not needed by any script: ${idle.join(', ')}`,
        zh: `未安装，也没有脚本需要：${idle.join('、')}`,
      }),
    );
  if (unchecked.length > 0) findings.push(notChecked(unchecked));
  return findings;
}

function slow(language: InterpretedLanguage): Result {
  const [name = language] = interpreterSpec(language).names;
  return note(
    {
      en: `The ${language} program on PATH did not report its version in time`,
      zh: `PATH 中应为 ${language} 的程序在查询版本时没有响应`,
    },
    {
      en: `Check which program comes first on PATH: which -a ${name}`,
      zh: `请查看 PATH 中排在最前的是哪个：which -a ${name}`,
    },
  );
}
