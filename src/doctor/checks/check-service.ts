import { readVersion } from '../../shared/version.ts';
import { type Finding, note, ok, problem } from '../finding.ts';
import type { Patient } from '../patient.ts';
import { askHealth } from './ask-health.ts';

const containments: Readonly<Record<string, string>> = {
  cgroup: 'Processes of scripts are kept together by cgroups, so that none is left when a run is stopped',
  sweep: 'Processes of scripts are found by their group, session and descent: no cgroups can be had here',
};

/** Whether the service of this home runs, answers, and is this version. */
export async function checkService({ home, service }: Patient, signal: AbortSignal): Promise<Finding[]> {
  if (service === null) return [note('service', 'Hob is not running', 'Start it in a terminal: hob serve')];
  const { pid, url, version } = service;
  const health = await askHealth(url, service.token ? home : null, signal);
  if (health.kind === 'silent' || health.kind === 'stranger') {
    const reason = health.kind === 'silent' ? health.reason : 'its answer is not one of Hob';
    return [
      problem(
        'service',
        `Hob (process ${pid}) does not answer at ${url} (${reason})`,
        `End it with: kill ${pid} (if that does not help: kill -9 ${pid}), and start it again: hob serve. Scripts that run go on.`,
      ),
    ];
  }
  const findings: Finding[] = [];
  if (version === readVersion())
    findings.push(ok('service', `Hob ${version} answers at ${url} (process ${pid})`));
  else
    findings.push(
      note(
        'service',
        `Hob ${version} answers at ${url} (process ${pid}), and this command is ${readVersion()}`,
        'Start the service again, so that both are the same: hob stop, then hob serve',
      ),
    );
  if (health.kind === 'asks-for-token')
    return [
      ...findings,
      problem(
        'service',
        'The service does not take the token of this home',
        'Make a new one: hob token --renew',
      ),
    ];
  const containment = containments[String(health.answer.containment)];
  return containment === undefined ? findings : [...findings, ok('service', containment)];
}
