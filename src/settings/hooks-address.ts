import { isIPv4, isIPv6 } from 'node:net';

/** The address for webhooks. */
export interface HooksAddress {
  readonly host: string;
  readonly port: number;
}

const loopback = '127.0.0.1';
const mostPort = 65_535;

/** Reads the setting `hooks_listen`, such as `127.0.0.1:8790`, `[::1]:8790` or `8790`. Null for any other text. */
export function parseHooksAddress(text: string): HooksAddress | null {
  const [, place = loopback, digits = ''] = /^(?:([^\s%]+):)?(\d{1,5})$/.exec(text) ?? [];
  const host = hostOf(place);
  const port = digits === '' ? mostPort + 1 : Number(digits);
  return host === null || port > mostPort ? null : { host, port };
}

function hostOf(place: string): string | null {
  if (place === 'localhost') return loopback;
  if (isIPv4(place)) return place;
  const bare = /^\[(.+)\]$/.exec(place)?.[1] ?? '';
  return isIPv6(bare) ? bare : null;
}
