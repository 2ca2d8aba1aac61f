import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { faultOfHome } from '../../settings/prepare-home.ts';
import { errnoOf } from '../../shared/errors.ts';
import { ensureToken, renewToken, TokenError, tokenFileOf } from '../../shared/token-file.ts';
import { findService } from '../find-service.ts';
import { language, tr } from '../language.ts';
import { type CommonOptions, plainJsonOption, withSignature } from '../options.ts';
import { printJson } from '../terminal/print.ts';
import { UserError, userError } from '../user-error.ts';

interface TokenOptions extends CommonOptions {
  renew?: boolean;
  header?: boolean;
}

export function configure(command: Command): void {
  withSignature(command, {
    '--home <dir>': [
      "home folder of the service (default: HOB_HOME, or the platform's data folder)",
      '令牌所属服务的数据目录（默认：HOB_HOME，否则为系统的数据文件夹）',
    ],
    '--renew': [
      'create a new token; the old token and all sessions become invalid immediately',
      '生成新的令牌；旧令牌和所有会话立即失效',
    ],
    '--header': [
      'print the Authorization header, for `curl -H @-`',
      '输出要发送的请求头，供 `curl -H @-` 使用',
    ],
    '--json': [...plainJsonOption['--json'], { conflicts: 'header' }],
  }).action(async ({ home: flag, renew, header, json }: TokenOptions) => {
    const { home, service } = await findService(flag);
    const hadToken = existsSync(tokenFileOf(home));
    const token = await tokenFor(home, renew === true);
    // Nothing else goes to stdout, so that a shell can assign it to a variable.
    if (json === true) printJson({ token });
    else process.stdout.write(header === true ? `Authorization: Bearer ${token}\n` : `${token}\n`);
    if (renew === true && hadToken)
      process.stderr.write(tr('The old token is no longer valid.\n', '旧令牌已失效。\n'));
    if (service !== null && !service.token) process.stderr.write(tokenNotRequired);
  });
}

const tokenNotRequired = tr(
  'The running service does not require the token. To require it, set token = true in settings.toml (or use --token), then restart Hob.\n',
  '正在运行的 Hob 不要求令牌：请在 settings.toml 中设置 token = true（或加上 --token），然后重新启动。\n',
);

async function tokenFor(home: string, renew: boolean): Promise<string> {
  try {
    const fault = await faultOfHome(home);
    if (fault !== null) throw new UserError(fault[language]);
    return await (renew ? renewToken(home) : ensureToken(home));
  } catch (error) {
    if (error instanceof TokenError) throw new UserError(error.text[language]);
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    throw userError(
      `Cannot write the token file ${tokenFileOf(home)} (${errno}). Check the permissions of the folder and the free disk space.`,
      `无法写入令牌文件 ${tokenFileOf(home)}（${errno}）。请检查文件夹权限和磁盘空间。`,
    );
  }
}
