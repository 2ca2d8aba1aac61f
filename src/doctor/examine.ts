import { errnoOf } from '../shared/errors.ts';
import { checkDatabase } from './checks/check-database.ts';
import { checkDesktop } from './checks/check-desktop.ts';
import { checkDisk } from './checks/check-disk.ts';
import { checkEnvironments } from './checks/check-environments.ts';
import { checkHome } from './checks/check-home.ts';
import { checkNeeds } from './checks/check-needs.ts';
import { checkPackages } from './checks/check-packages.ts';
import { checkPort } from './checks/check-port.ts';
import { checkPython } from './checks/check-python.ts';
import { checkRuntimes } from './checks/check-runtimes.ts';
import { checkScripts } from './checks/check-scripts.ts';
import { checkService } from './checks/check-service.ts';
import { checkSettings } from './checks/check-settings.ts';
import { checkTerminals } from './checks/check-terminals.ts';
import { checkToken } from './checks/check-token.ts';
import { checkTools } from './checks/check-tools.ts';
import { checkVersions } from './checks/check-versions.ts';
import { checkWarm } from './checks/check-warm.ts';
import { type Area, type Finding, note, problem } from './finding.ts';
import type { Patient } from './patient.ts';

/** One look at one thing. It changes nothing, and lets go of what it waits for when the signal comes. */
export interface Check {
  readonly area: Area;
  /** What it looks at, for the sentence that says that it failed. */
  readonly subject: string;
  look(patient: Patient, signal: AbortSignal): Promise<readonly Finding[]>;
}

const allChecks: readonly Check[] = [
  { area: 'hob', subject: 'the versions', look: checkVersions },
  { area: 'home', subject: 'the home', look: checkHome },
  { area: 'home', subject: 'the disk', look: checkDisk },
  { area: 'home', subject: 'the database', look: checkDatabase },
  { area: 'settings', subject: 'the settings', look: checkSettings },
  { area: 'service', subject: 'the service', look: checkService },
  { area: 'service', subject: 'warm interpreters', look: checkWarm },
  { area: 'service', subject: 'the port', look: checkPort },
  { area: 'service', subject: 'the token', look: checkToken },
  { area: 'runtimes', subject: 'the runtimes', look: checkRuntimes },
  { area: 'tools', subject: "Python's modules", look: checkPython },
  { area: 'tools', subject: 'the tools', look: checkTools },
  { area: 'desktop', subject: 'notifications', look: checkDesktop },
  { area: 'desktop', subject: 'terminals', look: checkTerminals },
  { area: 'scripts', subject: 'the scripts', look: checkScripts },
  { area: 'scripts', subject: 'what scripts need', look: checkNeeds },
  { area: 'packages', subject: 'the packages', look: checkPackages },
  { area: 'environments', subject: 'the environments', look: checkEnvironments },
];

/** A shim of an interpreter on a cold disk takes a second or two; who takes longer than this is stuck. */
const limitMs = 5000;

/** Looks at everything, at the same time. One look that fails, or takes too long, is a finding like others. */
export async function examine(
  patient: Patient,
  { checks = allChecks, withinMs = limitMs }: { checks?: readonly Check[]; withinMs?: number } = {},
): Promise<Finding[]> {
  const findings = await Promise.all(checks.map((check) => carryOut(check, patient, withinMs)));
  return findings.flat();
}

async function carryOut(
  { area, subject, look }: Check,
  patient: Patient,
  withinMs: number,
): Promise<readonly Finding[]> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<readonly Finding[]>((resolve) => {
    timer = setTimeout(() => {
      controller.abort();
      const what = `Looking at ${subject} took longer than ${withinMs / 1000} s, and was given up`;
      // Not a problem yet: the machine may just be busy.
      resolve([
        note(
          area,
          what,
          'Look again when the machine is less busy; if it stays so, a disk or a program is stuck.',
        ),
      ]);
    }, withinMs);
  });
  try {
    return await Promise.race([look(patient, controller.signal), tooLong]);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const next =
      errnoOf(error) === undefined
        ? 'If this stays so, it is a defect of Hob: please report it.'
        : 'See to it that you may read this, or choose another home with --home.';
    return [problem(area, `Looking at ${subject} failed (${reason})`, next)];
  } finally {
    clearTimeout(timer);
  }
}
