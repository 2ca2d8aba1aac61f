import { basename, isAbsolute } from 'node:path';

import { resolveHome } from '../settings/home.ts';
import { homeOfRun, parameterFileOfRun } from '../settings/run-variables.ts';
import { Client } from './client.ts';
import { locateService } from './locate-service.ts';

export {
  type AnyScript,
  type OutputChunk,
  RunHandle,
  type RunOf,
  type RunOptions,
  type ScriptTypes,
  type StartOptions,
  type StopOptions,
  type StreamEvent,
} from './client.ts';
export { HobError } from './errors.ts';
export type { BriefRun, Run, Script, ScriptDetail, ScriptList, ServiceEvent } from './types.ts';

export interface HobOptions {
  /** The address of the service. Absent: the service that runs in the home. */
  readonly url?: string;
  /** The token of the service, if `url` is given and the service requires one. */
  readonly token?: string;
  /** The home of the service. Default: HOB_HOME, otherwise the usual folder. */
  readonly home?: string;
  /** How long requests are repeated while the service does not respond. Default: 30 seconds. */
  readonly patienceMs?: number;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}

const usualPatienceMs = 30_000;

/**
 * A client of Hob. It finds the service and its token by itself, and again after a restart. Inside a script it starts runs only if `url` or
 * `home` is given: use `link` of the module `hob` there.
 */
export class Hob extends Client {
  constructor({
    url,
    token,
    home,
    patienceMs = usualPatienceMs,
    fetch = (input, init) => globalThis.fetch(input, init),
  }: HobOptions = {}) {
    const fixed = url === undefined ? null : { url: checkedUrl(url), token };
    const locate =
      fixed === null
        ? () => locateService(home === undefined ? usualHome() : resolveHome(home))
        : async () => fixed;
    const isInsideRun =
      fixed === null && home === undefined && (parameterFileOfRun() ?? argumentFile()) !== null;
    super({ locate, fetch, patienceMs, isInsideRun });
  }
}

/** Inside a script: the home of the Hob that runs the script, unless HOB_HOME is set. */
function usualHome(): string {
  const home = resolveHome(homeOfRun() ?? undefined);
  const file = argumentFile();
  // An empty path stands for the folder of the platform, so any other home was chosen.
  if (file === null || home !== resolveHome('')) return home;
  return homeOfRun({ HOB_PARAMETER_FILE: file }) ?? home;
}

/** The parameter file, if it is the argument of this program. Scripts that may start warm have it only there. */
function argumentFile(): string | null {
  const file = process.argv[2] ?? '';
  const isOfRun = isAbsolute(file) && basename(file) === 'params.json';
  return isOfRun && homeOfRun({ HOB_PARAMETER_FILE: file }) !== null ? file : null;
}

/** The address without a slash at its end. */
function checkedUrl(url: string): string {
  if (!/^https?:/i.test(url) || !URL.canParse(url))
    throw new TypeError(
      `The address of a service begins with http:// or https://, unlike ${JSON.stringify(url)}.`,
    );
  return url.replace(/\/+$/, '');
}
