import { userInfo } from 'node:os';
import { join } from 'node:path';

import type { LoginService, Platform, ToolCall } from './login-service.ts';
import { scheduledTask, taskName } from './scheduled-task.ts';

/** The login service on Windows: a scheduled task. */
export function taskScheduler(service: LoginService): Platform {
  const file = join(service.home, 'hob-task.xml');
  return {
    kind: 'Task Scheduler',
    file,
    // The byte order mark tells Windows the encoding.
    text: `\ufeff${scheduledTask(service, userInfo().username)}`,
    encoding: 'utf16le',
    onInstall: [task('/Create', '/XML', file, '/F'), task('/Run')],
    beforeRemoval: [
      { ...task('/End'), mayFail: true },
      { ...task('/Delete', '/F'), mayFail: true },
    ],
    afterRemoval: [],
    isActive: task('/Query'),
    diagnosisCommand: 'hob doctor',
    fault: async () => null,
    advice: async () => null,
  };
}

function task(verb: string, ...args: string[]): ToolCall {
  return { tool: 'schtasks', args: [verb, '/TN', taskName, ...args] };
}
