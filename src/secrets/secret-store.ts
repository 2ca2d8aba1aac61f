import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';

import Type, { type Static } from 'typebox';
import Value from 'typebox/value';

import type { Clock } from '../shared/clock.ts';
import { AppError, errnoOf } from '../shared/errors.ts';
import { Feed } from '../shared/feed.ts';
import { tryParseJson } from '../shared/json.ts';
import type { Logger } from '../shared/log.ts';
import {
  createPrivateFile,
  PrivateFileFault,
  readPrivateFile,
  removeDrafts,
  replacePrivateFile,
} from '../shared/private-files.ts';
import type { Text } from '../shared/text.ts';

export const secretNamePattern = /^[a-z0-9-]{1,64}$/;
export const mostSecretBytes = 64 * 1024;
export const mostSecrets = 256;

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const formatVersion = 1;
/** More than the most secrets of the largest size take. */
const largestFileBytes = 32 * 1024 * 1024;
const largestKeyFileBytes = 1024;
/** A use is stored at most this often, because each store replaces the file. */
const storeUseEveryMs = 3_600_000;

const Stored = Type.Object({
  nonce: Type.String(),
  /** The encrypted value, followed by the tag that authenticates it. */
  value: Type.String(),
  set_at: Type.String(),
  used_at: Type.Union([Type.String(), Type.Null()]),
});
const Head = Type.Object({ version: Type.Integer() });
const File = Type.Object({
  version: Type.Literal(formatVersion),
  secrets: Type.Record(Type.String(), Stored),
});

type Secrets = ReadonlyMap<string, Static<typeof Stored>>;

/** A secret without its value. */
export interface SecretView {
  readonly name: string;
  readonly setAt: string;
  readonly usedAt: string | null;
}

interface SecretStoreOptions {
  home: string;
  clock: Clock;
  log: Logger;
}

/**
 * The secrets of a home, encrypted in `secrets.json` with the key in `secrets.key`. Encryption protects copies and backups of
 * `secrets.json` alone; a person who can read both files can read the secrets. Every operation looks at the file, so that a file that
 * was damaged or restored in the meantime is noticed, and not overwritten.
 */
export class SecretStore {
  /** The names of secrets that were set or removed. */
  readonly changed = new Feed<string>();
  readonly keyFile: string;
  readonly #file: string;
  readonly #clock: Clock;
  readonly #log: Logger;
  /** Uses since this service started. */
  readonly #uses = new Map<string, string>();
  #usesStoredMs = 0;
  /** The content as last read, with the identity and the times of the file. Senders of webhooks may cause many reads. */
  #known: { readonly stamp: string; readonly secrets: Secrets } | null = null;
  /** The write in progress. Each write waits for the previous one, because it continues from its content. */
  #writing: Promise<unknown> = Promise.resolve();

  constructor({ home, clock, log }: SecretStoreOptions) {
    this.keyFile = join(home, 'secrets.key');
    this.#file = join(home, 'secrets.json');
    this.#clock = clock;
    this.#log = log;
  }

  /** Call it once before the other methods. */
  async start(): Promise<void> {
    for (const file of [this.#file, this.keyFile]) await removeDrafts(file);
  }

  /** Sorted by name. */
  list(): SecretView[] {
    const views = [...this.#load()].map(([name, { set_at, used_at }]) => ({
      name,
      setAt: set_at,
      usedAt: this.#uses.get(name) ?? used_at,
    }));
    return views.sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  /** The value of a secret; null if there is none with this name. */
  read(name: string): string | null {
    const stored = this.#load().get(name);
    return stored === undefined ? null : decrypt(stored, name, this.#existingKey());
  }

  /** Records that a value was used. */
  noteUse(name: string): void {
    const now = this.#clock.now();
    const before = this.#uses.get(name);
    this.#uses.set(name, now.toISOString());
    if (before === undefined || now.getTime() - this.#usesStoredMs >= storeUseEveryMs) this.#storeUses();
  }

  #storeUses(): void {
    this.#usesStoredMs = this.#clock.now().getTime();
    this.#write((secrets) => secrets).catch((error: unknown) =>
      this.#log.warn({ err: error }, 'cannot store when secrets were last used'),
    );
  }

  /** Stores a value. Resolves when it is on the disk. */
  async set(name: string, value: string): Promise<void> {
    await this.#write(async (secrets) => {
      if (!secrets.has(name) && secrets.size >= mostSecrets) throw tooMany();
      const stored = encrypt(value, name, await this.#ensureKey(secrets));
      this.#uses.delete(name);
      return new Map(secrets).set(name, {
        ...stored,
        set_at: this.#clock.now().toISOString(),
        used_at: null,
      });
    });
    this.changed.publish(name);
  }

  /** False if there is no secret with this name. */
  async remove(name: string): Promise<boolean> {
    let isKnown = false;
    await this.#write((secrets) => {
      isKnown = secrets.has(name);
      if (!isKnown) return secrets;
      this.#uses.delete(name);
      return new Map([...secrets].filter(([known]) => known !== name));
    });
    if (isKnown) this.changed.publish(name);
    return isKnown;
  }

  /** Waits for the write in progress. */
  async close(): Promise<void> {
    if (this.#uses.size > 0) this.#storeUses();
    await this.#writing;
  }

  #write(change: (secrets: Secrets) => Secrets | Promise<Secrets>): Promise<void> {
    const written = this.#writing.then(async () => {
      const before = this.#load();
      const after = this.#withUses(await change(before));
      if (after !== before) await this.#save(after);
    });
    this.#writing = written.catch(() => {});
    return written;
  }

  #withUses(secrets: Secrets): Secrets {
    const newer = [...secrets].filter(([name, { used_at }]) => (this.#uses.get(name) ?? used_at) !== used_at);
    if (newer.length === 0) return secrets;
    const after = new Map(secrets);
    for (const [name, stored] of newer)
      after.set(name, { ...stored, used_at: this.#uses.get(name) ?? stored.used_at });
    return after;
  }

  async #save(secrets: Secrets): Promise<void> {
    const content = { version: formatVersion, secrets: Object.fromEntries(secrets) };
    try {
      await replacePrivateFile(this.#file, `${JSON.stringify(content, null, 2)}\n`, { durable: true });
    } catch (error) {
      throw cannotWrite(this.#file, error);
    }
  }

  #load(): Secrets {
    // Taken before the content is read, so that a change in between is noticed by the next read.
    const stamp = stampOf(this.#file);
    if (stamp !== null && this.#known?.stamp === stamp) return this.#known.secrets;
    const secrets = this.#read();
    this.#known = stamp === null ? null : { stamp, secrets };
    return secrets;
  }

  #read(): Secrets {
    const text = readUsable(this.#file, largestFileBytes);
    if (text === null) return new Map();
    const content = tryParseJson(text);
    if (Value.Check(File, content)) return new Map(Object.entries(content.secrets));
    throw unusable(
      this.#file,
      Value.Check(Head, content) && content.version > formatVersion
        ? { en: 'was written by a newer release of Hob', zh: '由更新版本的 Hob 写入' }
        : { en: 'is damaged', zh: '已损坏' },
    );
  }

  #existingKey(): Buffer {
    const key = this.#readKey();
    if (key === null) throw unusable(this.keyFile, { en: 'is missing', zh: '不存在' });
    return key;
  }

  /** Creates the key if there is none. With a new key, secrets that are stored already could not be read. */
  async #ensureKey(secrets: Secrets): Promise<Buffer> {
    const existing = secrets.size > 0 ? this.#existingKey() : this.#readKey();
    if (existing !== null) return existing;
    const key = randomBytes(keyBytes);
    try {
      await createPrivateFile(this.keyFile, `${key.toString('base64')}\n`, { durable: true });
    } catch (error) {
      throw cannotWrite(this.keyFile, error);
    }
    return key;
  }

  #readKey(): Buffer | null {
    const text = readUsable(this.keyFile, largestKeyFileBytes);
    if (text === null) return null;
    const key = Buffer.from(text.trim(), 'base64');
    if (key.length === keyBytes) return key;
    throw unusable(this.keyFile, { en: 'does not contain a key', zh: '中没有密钥' });
  }
}

/** Changes with the content, the owner and the permissions of a file; null if there is none. */
function stampOf(path: string): string | null {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : [found.ino, found.size, found.mtimeNs, found.ctimeNs].join(':');
}

/** Binds a value to its name, so that two values cannot be exchanged in the file. */
function boundTo(name: string): Buffer {
  return Buffer.from(`hob secret ${formatVersion}: ${name}`);
}

function encrypt(value: string, name: string, key: Buffer): { nonce: string; value: string } {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(boundTo(name));
  const sealed = Buffer.concat([cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return { nonce: nonce.toString('base64'), value: sealed.toString('base64') };
}

function decrypt({ nonce, value }: Static<typeof Stored>, name: string, key: Buffer): string {
  try {
    const sealed = Buffer.from(value, 'base64');
    const end = sealed.length - tagBytes;
    const decipher = createDecipheriv(algorithm, key, Buffer.from(nonce, 'base64'), {
      authTagLength: tagBytes,
    })
      .setAAD(boundTo(name))
      .setAuthTag(sealed.subarray(end));
    return Buffer.concat([decipher.update(sealed.subarray(0, end)), decipher.final()]).toString('utf8');
  } catch (error) {
    throw new AppError('secrets-unusable', {
      en: `The secret ${name} cannot be decrypted: it was changed in secrets.json, or secrets.key is not the key that it was stored with.`,
      zh: `无法解密密钥 ${name}：secrets.json 中的内容被改动过，或 secrets.key 不是保存它时所用的密钥文件。`,
      hint: { en: `Set it again: hob secret set ${name}`, zh: `请重新设置：hob secret set ${name}` },
      cause: error,
    });
  }
}

function readUsable(path: string, maxBytes: number): string | null {
  try {
    return readPrivateFile(path, { maxBytes });
  } catch (error) {
    throw error instanceof PrivateFileFault ? unusable(path, error.text, error) : error;
  }
}

function unusable(path: string, fault: Text, cause?: unknown): AppError {
  return new AppError('secrets-unusable', {
    en: `The stored secrets cannot be used: ${path} ${fault.en}.`,
    zh: `无法使用已保存的密钥：${path} ${fault.zh}。`,
    hint: {
      en: 'Restore secrets.json and secrets.key from a backup. Or move both out of the home, and set all secrets again with hob secret set.',
      zh: '请从备份恢复 secrets.json 和 secrets.key；或将这两个文件移出数据目录，再用 hob secret set 重新设置所有密钥。',
    },
    cause,
  });
}

function cannotWrite(path: string, error: unknown): unknown {
  const errno = errnoOf(error);
  if (errno === undefined) return error;
  return new AppError('resources-exhausted', {
    en: `Cannot write ${path} (${errno}). The secrets are unchanged.`,
    zh: `无法写入 ${path}（${errno}）。密钥没有改变。`,
    hint: {
      en: 'Check the free disk space and the permissions of the folder.',
      zh: '请检查磁盘空间和文件夹权限。',
    },
    cause: error,
  });
}

function tooMany(): AppError {
  return new AppError('secrets-full', {
    en: `Hob stores at most ${mostSecrets} secrets.`,
    zh: `最多保存 ${mostSecrets} 个密钥。`,
    hint: { en: 'Remove one: hob secret rm NAME', zh: '请先删除一个：hob secret rm NAME' },
  });
}
