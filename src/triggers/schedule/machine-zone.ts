import { readFileSync, readlinkSync } from 'node:fs';

import { checkZone } from './cron.ts';

/**
 * The zone of this machine. Node reads it once and keeps it, so that a service would not notice when its user travels. The files are
 * read each time. `fixed`: the variable TZ, which the files do not change.
 */
export function machineZone(fixed: string | undefined, folder = '/etc'): string {
  const names = fixed ? [] : [linkedZone(folder), namedZone(folder)];
  const known = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return [...names, known].find((name) => name && checkZone(name) === null) ?? 'UTC';
}

/** `/etc/localtime` leads to a file such as `/usr/share/zoneinfo/Europe/Berlin` on Linux and macOS. */
function linkedZone(folder: string): string | undefined {
  try {
    return /\/zoneinfo[^/]*\/(?:posix\/|right\/)?(.+)$/.exec(readlinkSync(`${folder}/localtime`))?.[1];
  } catch {
    // Windows has no such file, and some machines have a copy of the zone there.
    return undefined;
  }
}

/** Debian names the zone here as well. */
function namedZone(folder: string): string | undefined {
  try {
    return readFileSync(`${folder}/timezone`, 'utf8').trim();
  } catch {
    return undefined;
  }
}
