import { createDoctorContext } from '../../doctor/doctor-context.ts';
import { examine } from '../../doctor/examine.ts';
import type { Finding } from '../../doctor/finding.ts';
import type { JsonObject } from '../../shared/json.ts';
import { printJson } from '../terminal/print-json.ts';
import { ReportedError } from '../user-error.ts';
import { describeFindings, hasUnicode } from './describe-findings.ts';

export interface DoctorOptions {
  home?: string;
  json?: boolean;
  all?: boolean;
}

/** `hob doctor`: checks the installation and suggests what to do next. */
export async function doctor({ home, json, all }: DoctorOptions): Promise<void> {
  const context = await createDoctorContext(home === undefined ? {} : { home });
  const findings = await examine(context);
  const problems = findings.filter(({ state }) => state === 'problem').length;
  if (json === true) {
    const notes = findings.filter(({ state }) => state === 'note').length;
    printJson({ home: context.home, findings: findings.map(asJson), problems, notes });
  } else {
    const { isTTY, columns } = process.stdout;
    const { environment, platform } = context;
    process.stdout.write(
      describeFindings(findings, {
        isAll: all === true,
        columns: isTTY ? columns : undefined,
        isUnicode: hasUnicode(environment, platform),
        stream: process.stdout,
      }),
    );
  }
  if (problems > 0) throw new ReportedError();
}

/** JSON output is for programs and therefore always in English. */
function asJson({ area, state, what, next }: Finding): JsonObject {
  return { area, state, what: what.en, next: next === null ? null : next.en };
}
