import type { FastifyRequest } from 'fastify';

import type { Connection } from '../../runs/callers/trace-caller.ts';
import { AppError } from '../../shared/errors.ts';
import { connectionOf } from '../request.ts';
import type { TokenGuard } from './token-guard.ts';

/** Finds the user who opened a connection to the service. */
export interface CallerUsers {
  /** The user id of this service; null if the system does not report the users of connections. */
  readonly own: number | null;
  /** Null if it is not known. */
  find(connection: Connection): Promise<number | null>;
}

const root = 0;

/**
 * Refuses run tokens, and callers of another user if the service requires no token. Call it first in the handler of an operation
 * that hands out more than a run: one that installs code, stores secrets or makes Hob start runs by itself.
 */
export async function requireSameUser(
  request: FastifyRequest,
  { guard, callerUsers }: { guard: TokenGuard | null; callerUsers: CallerUsers },
): Promise<void> {
  if (request.caller !== null) throw notForRuns();
  const { own } = callerUsers;
  if (guard !== null || own === null) return;
  const connection = connectionOf(request);
  const user = connection === null ? null : await callerUsers.find(connection);
  if (user !== own && user !== root) throw otherUser(user);
}

function notForRuns(): AppError {
  return new AppError('not-for-runs', {
    en: 'A run token cannot call this operation.',
    zh: '运行令牌不能调用此操作。',
  });
}

function otherUser(user: number | null): AppError {
  const reason =
    user === null
      ? {
          en: 'Hob cannot identify the user who sent this request',
          zh: 'Hob 无法确认该请求由哪个用户发出',
        }
      : { en: 'This request comes from another user of this machine', zh: '该请求来自本机的其他用户' };
  return new AppError('door-user', {
    en: `${reason.en} (access rule 14).`,
    zh: `${reason.zh}（规则 14）。`,
    hint: {
      en: 'To call this operation through a proxy or as another user, set token = true in settings.toml and send the token that hob token prints.',
      zh: '如需通过代理或以其他用户调用此操作，请在 settings.toml 中设置 token = true，并出示 hob token 显示的令牌。',
    },
  });
}
