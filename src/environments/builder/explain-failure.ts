import type { Text } from '../../shared/text.ts';

/** A build that failed for a reason that the user can fix. */
export class BuildFailure extends Error {
  readonly text: Text;

  constructor(en: string, zh: string) {
    super(en);
    this.name = 'BuildFailure';
    this.text = { en, zh };
  }
}

export type Tool = 'pip' | 'uv' | 'npm';

const longestDetail = 300;

const offline =
  /Failed to establish a new connection|NewConnectionError|name resolution|Name or service not known|nodename nor servname|getaddrinfo|Network is unreachable|Connection refused|ConnectTimeout|ConnectionResetError|Read timed out|ReadTimeout|Cannot connect to proxy|error sending request|dns error|tcp connect error|Network connectivity is disabled|Could not resolve host|Failed to connect to |Couldn't connect to server|Could not connect to server|code (?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|ENOTCACHED)/;

interface Cause {
  readonly pattern: RegExp;
  readonly tools?: readonly Tool[];
  /** Receives the captured text. */
  readonly say: (detail: string, tool: Tool) => Text;
}

/** From the most specific to the vaguest: the first match wins. */
const causes: readonly Cause[] = [
  {
    pattern: /No space left on device|ENOSPC|not enough space on the disk|Disk quota exceeded|os error 28/,
    say: () => ({
      en: 'The disk is full. Free some space and run the script again.',
      zh: '磁盘空间不足，请清理后重试。',
    }),
  },
  {
    // The index was reached, because it listed versions, but none matches.
    pattern: /Could not find a version that satisfies the requirement (.+?) \(from versions: (?!none\))/,
    say: missingVersion,
  },
  {
    pattern:
      /CERTIFICATE_VERIFY_FAILED|SELF_SIGNED_CERT|UNABLE_TO_VERIFY_LEAF|UNABLE_TO_GET_ISSUER|invalid peer certificate/,
    say: () => ({
      en: 'The packages could not be downloaded: the certificate of the package index is not trusted. Check the system clock and the proxy, or configure trusted certificates for the tool.',
      zh: '无法获取包：包索引的证书未被接受。请检查系统时间与代理，或为工具配置受信任的证书。',
    }),
  },
  { pattern: offline, say: (_detail, tool) => unreachable(tool) },
  {
    pattern: /Cannot find command 'git'|Git executable not found|code ENOENT[\s\S]*spawn git/,
    say: () => ({
      en: 'A package must be fetched with git, but git is not on PATH. Install it (Debian, Ubuntu: apt install git).',
      zh: '某个包需要用 git 获取，但 PATH 中没有 git。请安装（Debian、Ubuntu：apt install git）。',
    }),
  },
  {
    pattern: /fatal: (.+)[\s\S]*× git .+ did not run successfully|unknown git error[\s\S]*?fatal: (.+)/,
    say: (detail) => ({
      en: `A package could not be fetched with git: ${detail}. Check its address and your access to it.`,
      zh: `无法用 git 获取某个包：${detail}。请检查其地址及访问权限。`,
    }),
  },
  {
    pattern: /can only install (?:packages )?(?:with an existing|when your) package/,
    tools: ['npm'],
    say: () => ({
      en: 'The lock file does not match package.json. Run npm install in the folder of the script, and keep the lock file that it writes.',
      zh: '锁定文件与 package.json 不一致。请在脚本文件夹中运行 npm install，并保留其生成的锁定文件。',
    }),
  },
  {
    pattern: /DO NOT MATCH THE HASHES|Hash mismatch|EINTEGRITY/,
    say: () => ({
      en: 'A downloaded package does not match the lock file or the hashes. Clear the cache of the tool. If the package was published again, create the lock file again.',
      zh: '下载的内容与锁定文件或哈希值不符。请清除工具的缓存；若该包已重新发布，请重新生成锁定文件。',
    }),
  },
  {
    pattern: /requires a different Python|Requires-Python|requires-python|does not satisfy Python/,
    say: () => ({
      en: 'A package does not support this version of Python. Set language_version or requires-python to a supported version, or choose another version of the package.',
      zh: '某个包不支持此 Python 版本。请通过 language_version 或 requires-python 指定其支持的版本，或更换包的版本。',
    }),
  },
  {
    pattern: /(\S+) was not found in the package registry|there (?:is|are) no versions? of (\S+)/,
    tools: ['uv'],
    say: missingVersion,
  },
  {
    pattern:
      /ResolutionImpossible|conflicting dependencies|No solution found when resolving|code ERESOLVE|incompatible requirements/,
    say: () => ({
      en: 'The packages have conflicting requirements. Loosen one of them; see the log for details.',
      zh: '各个包对彼此版本的要求相互冲突。请放宽其中某个要求，日志中有具体说明。',
    }),
  },
  {
    pattern: /No matching distribution found for (.+)|No matching version found for (\S+?)\.?(?:\s|$)/,
    say: missingVersion,
  },
  {
    pattern:
      /'(\S+?)' is not in (?:this|the npm) registry|The requested resource '(\S+?)' could not be found/,
    say: missingVersion,
  },
  { pattern: /Failed building wheel for (\S+)|Failed to build `?([^\s`]+)/, say: notCompiled },
  {
    pattern:
      /command '\S*(?:gcc|cc|clang|cl\.exe)\S*' failed|gyp ERR!|Microsoft Visual C\+\+|subprocess-exited-with-error/,
    say: notCompiled,
  },
  {
    pattern: /Could not open requirements file: .*'([^'\n]+)'|File not found: `([^`\n]+)`/,
    say: (detail) => ({
      en: `The file ${detail} does not exist. Add the file, or remove the line that names it.`,
      zh: `文件 ${detail} 不存在。请补上该文件，或删除引用它的行。`,
    }),
  },
  {
    pattern: /It looks like a path\. File '([^'\n]+)' does not exist|Distribution not found at: (\S+)/,
    say: (detail) => ({
      en: `No such file or folder: ${detail}. Package paths are relative to the folder of the script.`,
      zh: `${detail} 不存在。包的路径以脚本所在文件夹为基准，请核对。`,
    }),
  },
  {
    pattern: /Invalid requirement: '?([^'\n]+)/,
    say: (detail) => ({
      en: `"${detail}" is not a valid requirement. Write the name of a package and a version range.`,
      zh: `“${detail}” 不是有效的依赖声明，请写包名及所需的版本范围。`,
    }),
  },
];

/** Explains the failure of a tool in one sentence, based on its output. */
export function explainFailure(tool: Tool, output: string): Text {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are escape sequences
  const text = output.replace(/\u001b\[[\d;]*[A-Za-z]/g, '').replace(/:\/\/[^/\s]+@/g, '://***@');
  for (const { pattern, tools, say } of causes) {
    if (tools !== undefined && !tools.includes(tool)) continue;
    const match = pattern.exec(text);
    if (match === null) continue;
    const detail = match.slice(1).find((part) => part !== undefined) ?? '';
    return say(detail.trim().slice(0, longestDetail), tool);
  }
  const line = lastWords(text);
  return {
    en: `${tool} failed${line === '' ? '' : `: ${line}`}`,
    zh: `${tool} 执行失败${line === '' ? '' : `：${line}`}`,
  };
}

function unreachable(tool: Tool): Text {
  if (tool === 'npm') {
    return {
      en: 'The packages could not be downloaded: the package registry cannot be reached. Check the network and run the script again, or run npm install in the folder of the script when you are online.',
      zh: '无法获取包：无法连接到包仓库。请联网后重试，或在可联网时于脚本文件夹中运行 npm install。',
    };
  }
  return {
    en: 'The packages could not be downloaded: the package index cannot be reached. Check the network and run the script again, or put wheels in a folder and name it with --find-links in requirements.txt.',
    zh: '无法获取包：无法连接到包索引。请联网后重试，或将 wheel 文件放入文件夹，并在 requirements.txt 中用 --find-links 指定。',
  };
}

function missingVersion(detail: string): Text {
  return {
    en: `No version of the package matches: ${detail}. Check its name and the version range.`,
    zh: `没有符合要求的包版本：${detail}。请检查包名及版本要求。`,
  };
}

function notCompiled(detail: string, tool: Tool): Text {
  const what =
    detail === '' ? { en: 'A package', zh: '某个包' } : { en: `The package ${detail}`, zh: `包 ${detail} ` };
  const apt = tool === 'npm' ? 'build-essential python3' : 'build-essential python3-dev';
  return {
    en: `${what.en} must be compiled on this machine, and the compilation failed. Install a compiler (Debian, Ubuntu: apt install ${apt}), or choose a version with prebuilt binaries. See the log for details.`,
    zh: `${what.zh}需要在本机编译，但编译失败。请安装编译器（Debian、Ubuntu：apt install ${apt}），或选择带预编译文件的版本，详见日志。`,
  };
}

/** The last error line, otherwise the last line. */
function lastWords(text: string): string {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.replace(/^npm (?:error|ERR!)\s*/i, '').trim())
    .filter((line) => line !== '' && !/complete log of this run|^\[notice\]|_logs[\\/]/.test(line));
  const telling = lines.filter((line) => /^(?:ERROR|error|fatal|\w*Error)\b/.test(line)).at(-1);
  return (telling ?? lines.at(-1) ?? '').slice(0, longestDetail);
}
