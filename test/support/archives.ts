import { crc32, deflateRawSync } from 'node:zlib';

/** An entry of a zip file that is written byte by byte, because libraries refuse to write such archives. */
export interface ZipEntry {
  name: string | Buffer;
  content?: string | Buffer;
  /** 0 stored, 8 deflated. */
  method?: number;
  /** The bytes in the archive, if they are not the compressed content. */
  raw?: Buffer;
  /** The complete Unix mode, including the file type. */
  mode?: number;
  flags?: number;
  extra?: Buffer;
  /** Values that replace the correct ones. */
  crc?: number;
  sizeBytes?: number;
  compressedBytes?: number;
  localName?: string | Buffer;
  /** The index of another entry. This entry then points to the data of that entry. */
  sameDataAs?: number;
}

const utf8Flag = 0x800;

export function zipOf(entries: readonly ZipEntry[], comment: Buffer = Buffer.alloc(0)): Buffer {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  const offsets: number[] = [];
  let offset = 0;
  for (const entry of entries) {
    const { local, central } = zipParts(entry);
    const shared = entry.sameDataAs === undefined ? undefined : offsets[entry.sameDataAs];
    const at = shared ?? offset;
    offsets.push(at);
    central.writeUInt32LE(at, 42);
    centrals.push(central);
    if (shared === undefined) {
      locals.push(local);
      offset += local.length;
    }
  }
  const directory = Buffer.concat(centrals);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...locals, directory, end, comment]);
}

function zipParts(entry: ZipEntry): { local: Buffer; central: Buffer } {
  const content = Buffer.from(entry.content ?? '');
  const method = entry.method ?? 8;
  const raw = entry.raw ?? (method === 8 ? deflateRawSync(content) : content);
  const name = Buffer.from(entry.name);
  const localName = Buffer.from(entry.localName ?? entry.name);
  const flags = entry.flags ?? (typeof entry.name === 'string' ? utf8Flag : 0);
  const extra = entry.extra ?? Buffer.alloc(0);
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(flags, 2);
  common.writeUInt16LE(method, 4);
  common.writeUInt16LE(0x21, 8);
  common.writeUInt32LE(entry.crc ?? crc32(content), 10);
  common.writeUInt32LE(entry.compressedBytes ?? raw.length, 14);
  common.writeUInt32LE(entry.sizeBytes ?? content.length, 18);
  common.writeUInt16LE(localName.length, 22);
  const localHeader = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common]);
  const central = Buffer.alloc(46);
  central.writeUInt32LE(0x02014b50, 0);
  central.writeUInt16LE((3 << 8) | 20, 4);
  common.copy(central, 6);
  central.writeUInt16LE(name.length, 28);
  central.writeUInt16LE(extra.length, 30);
  central.writeUInt32LE(((entry.mode ?? 0o100644) << 16) >>> 0, 38);
  return {
    local: Buffer.concat([localHeader, localName, raw]),
    central: Buffer.concat([central, name, extra]),
  };
}

export interface TarEntry {
  name: string | Buffer;
  content?: string | Buffer;
  /** '0' file, '1' hard link, '2' symbolic link, '3' and '4' devices, '5' folder, '6' pipe, 'x' extended header. */
  type?: string;
  mode?: number;
  link?: string;
  /** The size field, if it is not the real size. */
  size?: string | Buffer;
}

const block = 512;

export function tarOf(entries: readonly TarEntry[], { isEnded = true } = {}): Buffer {
  const parts = entries.flatMap((entry) => {
    const content = Buffer.from(entry.content ?? '');
    return [
      tarHeader(entry, content.length),
      content,
      Buffer.alloc((block - (content.length % block)) % block),
    ];
  });
  return Buffer.concat([...parts, Buffer.alloc(isEnded ? 2 * block : 0)]);
}

function tarHeader(entry: TarEntry, length: number): Buffer {
  const header = Buffer.alloc(block);
  Buffer.from(entry.name).copy(header, 0, 0, 100);
  header.write(`${(entry.mode ?? 0o644).toString(8).padStart(7, '0')}\0`, 100);
  header.write('0000000\x000000000\0', 108);
  Buffer.from(entry.size ?? `${length.toString(8).padStart(11, '0')}\0`).copy(header, 124, 0, 12);
  header.write('00000000000\0', 136);
  header.write('        ', 148);
  header.write(entry.type ?? '0', 156);
  header.write(entry.link ?? '', 157);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

/** An extended header that adds fields to the next entry. */
export function paxOf(values: Readonly<Record<string, string>>): TarEntry {
  const lines = Object.entries(values).map(([key, value]) => {
    const rest = ` ${key}=${value}\n`;
    let length = Buffer.byteLength(rest);
    while (length < Buffer.byteLength(`${length}${rest}`)) length = Buffer.byteLength(`${length}${rest}`);
    return `${length}${rest}`;
  });
  return { name: 'PaxHeaders/x', type: 'x', content: lines.join('') };
}

/** The Info-ZIP extra field with the UTF-8 name of an entry whose own name is in another encoding. */
export function unicodePathField(rawName: Buffer, name: string): Buffer {
  const text = Buffer.from(name);
  const field = Buffer.alloc(9);
  field.writeUInt16LE(0x7075, 0);
  field.writeUInt16LE(5 + text.length, 2);
  field[4] = 1;
  field.writeUInt32LE(crc32(rawName), 5);
  return Buffer.concat([field, text]);
}

export const someManifest = `[service.info]
id = "2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11"
name = "Packed"
version = "1.0.0"

[service.runtime]
language = "bash"
entry = "main.sh"
`;

/** The files of a script that can run, for both kinds of archive. */
export const someScript: { name: string; content: string }[] = [
  { name: 'script.toml', content: someManifest },
  { name: 'main.sh', content: 'exit 0\n' },
];
