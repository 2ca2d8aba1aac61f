import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { PackageSource } from '../package-source.ts';
import { splitPath } from './entry-names.ts';
import { invalidSource, showName } from './package-errors.ts';

interface SourceOptions {
  readonly ref?: string;
  readonly path?: string;
  /** Base of relative paths. Without it, they are refused. */
  readonly base?: string;
}

const archiveName = /\.(?:zip|tar|tgz|tar\.gz)$/i;
const webAddress = /^https?:\/\//i;
const gitAddress = /^(?:https?|ssh|git|file):\/\//i;
const someAddress = /^[a-z][a-z0-9+.-]*:(?:\/\/|:)/i;
const shortAddress = /^[^@/\\\s:]+@[^@/\\\s:]+:(?!:).+$/;

const whatIsTaken = {
  en: 'Specify a folder, a .zip or .tar.gz archive, or the address of a git repository (https://, ssh://, git@host:path).',
  zh: '请指定文件夹、.zip 或 .tar.gz 压缩包，或 git 仓库地址（https://、ssh://、git@host:path）。',
};

/** Parses the source of a package as written by a user. Accesses nothing: the fetch shows whether it exists. */
export function parseSource(text: string, options: SourceOptions = {}): PackageSource {
  const written = text.trim();
  const path = parsePath(options.path);
  const git = parseGit(written, options);
  if (git !== null) return { kind: 'git', ...git, path };
  refuseOtherAddresses(written);
  if (options.ref !== undefined) {
    throw invalidSource(
      {
        en: `${showName(written)} is not a git repository, so it has no ref`,
        zh: `${showName(written)} 不是 git 仓库，不能指定 ref`,
      },
      { en: 'Omit the ref.', zh: '请去掉 ref。' },
    );
  }
  const kind = archiveName.test(written) ? 'archive' : 'folder';
  return { kind, location: locate(written, options.base), ref: null, path };
}

function locate(written: string, base: string | undefined): string {
  if (isAbsolute(written)) return resolve(written);
  if (base !== undefined) return resolve(base, written);
  throw invalidSource(
    { en: `${showName(written)} is a relative path`, zh: `${showName(written)} 是相对路径` },
    { en: 'Write the absolute path.', zh: '请填写完整的绝对路径。' },
  );
}

function refuseOtherAddresses(written: string): void {
  if (written === '') {
    throw invalidSource({ en: 'The source is missing', zh: '未指定要安装的内容' }, whatIsTaken);
  }
  if (
    /[\p{Cc}]/u.test(written) ||
    written.startsWith('-') ||
    (someAddress.test(written) && !/^[a-z]:/i.test(written))
  ) {
    const shown = showName(someAddress.test(written) ? withoutSecrets(written) : written);
    throw invalidSource(
      { en: `${shown} is not a source that Hob can install from`, zh: `无法从 ${shown} 安装` },
      whatIsTaken,
    );
  }
}

function parseGit(written: string, options: SourceOptions): { location: string; ref: string | null } | null {
  const [, address = '', fragment] = /^([^#]*)(?:#(.*))?$/s.exec(written) ?? [];
  const isLocal = !someAddress.test(address) && !shortAddress.test(address);
  if (isLocal && !/\.git[/\\]?$/i.test(address)) return null;
  if (!isLocal && !gitAddress.test(address) && !shortAddress.test(address)) return null;
  // Neither part may become an option of git or ssh.
  if (/[\p{Cc}]/u.test(written) || address.startsWith('-') || /(?:^|\/\/|@)-/.test(address)) {
    throw invalidSource(
      {
        en: `${showName(withoutSecrets(written))} is not the address of a git repository`,
        zh: `${showName(withoutSecrets(written))} 不是有效的 git 仓库地址`,
      },
      whatIsTaken,
    );
  }
  if (webAddress.test(address) && archiveName.test(address.replace(/\?.*/s, ''))) {
    throw invalidSource(
      {
        en: `${showName(withoutSecrets(address))} is an archive on the web, which Hob does not download`,
        zh: `${showName(withoutSecrets(address))} 是网上的压缩包，Hob 不会自动下载`,
      },
      { en: 'Download the archive, then install the file.', zh: '请先下载，再安装该文件。' },
    );
  }
  return {
    location: isLocal ? locate(address, options.base) : cleanAddress(address),
    ref: parseRef(options.ref, fragment),
  };
}

/** Stored and displayed addresses must not contain a password; on the web, a user name alone may be a token. */
function cleanAddress(address: string): string {
  if (shortAddress.test(address) && !someAddress.test(address)) return address;
  if (!URL.canParse(address)) throw noAddress(address);
  const url = new URL(address);
  // The address is complete here, so a quotation mark belongs to the password.
  const open = address.replace(/^([a-z]+:\/\/)[^/?#]*@/i, '$1');
  if (url.password !== '') {
    throw invalidSource(
      {
        en: `The address ${showName(open)} contains a password, which would be stored with the package`,
        zh: `地址 ${showName(open)} 带有密码，会随包一起保存`,
      },
      {
        en: 'Remove it from the address, and store it in git instead (git config credential.helper), or use an ssh address.',
        zh: '请改为让 git 记住密码（git config credential.helper）或使用 ssh 地址，并从地址中去掉密码。',
      },
    );
  }
  if (url.protocol === 'file:' && !isFilePath(url)) throw noAddress(address);
  return webAddress.test(address) ? open : address;
}

/** Refuses another host and an encoded slash, which are not part of a path. */
function isFilePath(url: URL): boolean {
  try {
    fileURLToPath(url);
    return true;
  } catch {
    return false;
  }
}

function noAddress(address: string) {
  return invalidSource(
    {
      en: `${showName(withoutSecrets(address))} is not a valid address`,
      zh: `${showName(withoutSecrets(address))} 不是有效的地址`,
    },
    whatIsTaken,
  );
}

/** For addresses that cannot be parsed: a password may contain any character, including a slash. */
function withoutSecrets(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1');
}

/** The rules of git for branch and tag names, which commit hashes also satisfy. */
function parseRef(option: string | undefined, fragment: string | undefined): string | null {
  const written = option ?? fragment ?? '';
  if (option !== undefined && fragment && option !== fragment) {
    throw invalidSource(
      {
        en: `Two refs are given: ${showName(option)} and ${showName(fragment)}`,
        zh: `指定了两个 ref：${showName(option)} 和 ${showName(fragment)}`,
      },
      { en: 'Keep one of them.', zh: '请只保留一个。' },
    );
  }
  if (written === '') return null;
  const isValid =
    written.length <= 255 &&
    !/[\p{Cc}\s~^:?*[\\]|\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)/u.test(written) &&
    !/^[-+./@]|[./]$/.test(written);
  if (isValid) return written;
  throw invalidSource(
    {
      en: `${showName(written)} is not a valid name of a branch, tag or commit`,
      zh: `${showName(written)} 不能是分支、标签或提交的名称`,
    },
    { en: 'Write it as git branch or git tag shows it.', zh: '请填写 git branch 或 git tag 显示的名称。' },
  );
}

function parsePath(written: string | undefined): string | null {
  if (written === undefined) return null;
  try {
    const names = splitPath(written);
    return names.length === 0 ? null : names.join('/');
  } catch {
    throw invalidSource(
      {
        en: `The path ${showName(written)} leads out of the package or is not valid`,
        zh: `路径 ${showName(written)} 指向包外或无效`,
      },
      {
        en: 'Specify a folder of the package, such as scripts/resize.',
        zh: '请填写包内的文件夹，例如 scripts/resize。',
      },
    );
  }
}
