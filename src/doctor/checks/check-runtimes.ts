import { type InterpretedLanguage, interpreterSpecs } from '../../scripts/runtimes/interpreters.ts';
import { surveyRuntimes } from '../../scripts/runtimes/survey-runtimes.ts';
import type { DoctorContext } from '../doctor-context.ts';
import { type Finding, notChecked, note, ok, problem } from '../finding.ts';
import { nameSome } from '../name-some.ts';

/** Longer than any working interpreter needs. */
const slowMs = 2900;

/** Checks the interpreter of every language. A missing interpreter is a problem only if a script needs it. */
export async function checkRuntimes(context: DoctorContext): Promise<Finding[]> {
  const { scripts } = await context.scripts();
  const findings: Finding[] = [];
  const idle: string[] = [];
  const unchecked: string[] = [];
  for (const { language, search, tookMs, users } of await surveyRuntimes(scripts, context)) {
    if (tookMs > slowMs) findings.push(slow(language));
    const foreign = await context.programs.foreignInterpreters(context.finder, language);
    unchecked.push(...foreign);
    if (search.kind === 'found') {
      const { version, path } = search.interpreter;
      // sh does not report a version.
      const name = language === 'sh' ? 'sh' : `${language} ${version}`;
      findings.push(ok('runtimes', { en: `${name} (${path})`, zh: `${name}（${path}）` }));
    } else if (foreign.length > 0) {
      // notChecked reports all of them together.
    } else if (users.length > 0) {
      const names = nameSome(users.map(({ name }) => name));
      const what = {
        en: `${language} is not installed, but needed by ${names.en}`,
        zh: `未安装 ${language}，而 ${names.zh} 需要它`,
      };
      findings.push(problem('runtimes', what, interpreterSpecs[language].install));
    } else idle.push(language);
  }
  if (idle.length > 0)
    findings.push(
      ok('runtimes', {
        en: `Not installed and not needed by any script: ${idle.join(', ')}`,
        zh: `未安装，也没有脚本需要：${idle.join('、')}`,
      }),
    );
  if (unchecked.length > 0) findings.push(notChecked('runtimes', unchecked));
  return findings;
}

function slow(language: InterpretedLanguage): Finding {
  const [name = language] = interpreterSpecs[language].names;
  return note(
    'runtimes',
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
