import { readFile } from 'node:fs/promises';
import { isIPv4, isIPv6 } from 'node:net';
import { endianness } from 'node:os';

/** A connection from the server's point of view. */
export interface Connection {
  readonly clientAddress: string;
  readonly clientPort: number;
  readonly serverAddress: string;
  readonly serverPort: number;
}

/** The tables may change while they are read, and a read may then skip a line. */
const attempts = 2;

/** Returns the inode of the client's socket according to the kernel's socket tables; null if it is not listed. */
export async function findSocketInode(connection: Connection): Promise<string | null> {
  const tables = tablesFor(connection);
  for (let attempt = 0; attempt < attempts; attempt++) {
    for (const { file, entry } of tables) {
      const inode = inodeOf(entry, await readFile(file, 'latin1').catch(() => ''));
      if (inode !== null) return inode;
    }
  }
  return null;
}

/**
 * The tables to search, and the entry to search for. A client may reach an IPv4 address from an IPv6 socket, which is
 * listed in the other table.
 */
function tablesFor(connection: Connection): { file: string; entry: string }[] {
  const client = unmapped(connection.clientAddress);
  const server = unmapped(connection.serverAddress);
  const entry = (bytesOf: (address: string) => number[]) => {
    const ends = [
      `${addressInTable(bytesOf(client))}:${hex(connection.clientPort, 4)}`,
      `${addressInTable(bytesOf(server))}:${hex(connection.serverPort, 4)}`,
    ];
    return ` ${ends.join(' ')} `;
  };
  if (isIPv4(client) && isIPv4(server)) {
    return [
      { file: '/proc/net/tcp', entry: entry(bytesOfIpv4) },
      { file: '/proc/net/tcp6', entry: entry(bytesOfMappedIpv4) },
    ];
  }
  if (isIPv6(client) && isIPv6(server)) return [{ file: '/proc/net/tcp6', entry: entry(bytesOfIpv6) }];
  return [];
}

/** Skips inode 0: the kernel may still list a socket that its process has closed, with that inode. */
function inodeOf(entry: string, table: string): string | null {
  for (let at = table.indexOf(entry); at !== -1; at = table.indexOf(entry, at + 1)) {
    const fields = table.slice(at + entry.length, at + entry.length + 120).split(/\s+/);
    const [_state, _queues, _timer, _retransmits, _user, _timeout, inode] = fields;
    if (inode !== undefined && inode !== '0') return inode;
  }
  return null;
}

function unmapped(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}

function bytesOfIpv4(address: string): number[] {
  return address.split('.').map(Number);
}

function bytesOfMappedIpv4(address: string): number[] {
  return [...Array<number>(10).fill(0), 0xff, 0xff, ...bytesOfIpv4(address)];
}

function bytesOfIpv6(address: string): number[] {
  const [before = [], after = []] = address
    .split('::')
    .map((half) => (half === '' ? [] : half.split(':').flatMap(bytesOfGroup)));
  return [...before, ...Array<number>(Math.max(0, 16 - before.length - after.length)).fill(0), ...after];
}

function bytesOfGroup(group: string): number[] {
  const value = Number.parseInt(group, 16);
  return [value >> 8, value & 0xff];
}

/** The kernel prints addresses as words of four bytes, each in the byte order of this machine. */
function addressInTable(bytes: readonly number[]): string {
  const buffer = Buffer.from(bytes);
  const words: string[] = [];
  for (let at = 0; at + 4 <= buffer.length; at += 4) {
    words.push(hex(endianness() === 'LE' ? buffer.readUInt32LE(at) : buffer.readUInt32BE(at), 8));
  }
  return words.join('');
}

function hex(value: number, digits: number): string {
  return value.toString(16).toUpperCase().padStart(digits, '0');
}
