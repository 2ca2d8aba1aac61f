import { isIPv4, isIPv6 } from 'node:net';

/** Whether an address can be reached only from this machine. */
export function isLoopback(address: string): boolean {
  return address === '::1' || (isIPv4(address) && address.startsWith('127.'));
}

/** The form of an address before the port, in a URL and in a Host header. */
export function inUrl(address: string): string {
  return isIPv6(address) ? `[${address}]` : address;
}
