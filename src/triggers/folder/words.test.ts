import { homedir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import type { FolderTrigger } from '../trigger.ts';
import { folderWords } from './words.ts';

const trigger: FolderTrigger = {
  id: 'inbox',
  script: 's',
  scriptId: 's',
  data: undefined,
  params: {},
  retries: undefined,
  valuesProblem: null,
  kind: 'folder',
  path: join(homedir(), 'Inbox'),
  recursive: false,
  filters: ['.mp4'],
  settleMs: 2000,
  batchMs: null,
  after: 'leave',
};

it('describes when a folder trigger fires', () => {
  expect(folderWords(trigger)).toEqual({
    en: 'Files with .mp4 that arrive in ~/Inbox, once complete for 2 s',
    zh: '~/Inbox 中新到的 .mp4 文件，写入完成并保持 2 秒不变后',
  });
  expect(
    folderWords({
      ...trigger,
      filters: [],
      path: '/in',
      recursive: true,
      settleMs: 0,
      batchMs: 90_000,
      after: 'move',
    }),
  ).toEqual({
    en: 'Files that arrive in /in or its subfolders, once complete; those complete within 90 s share a run; afterwards moved to done or failed',
    zh: '/in 及其子文件夹 中新到的文件，写入完成后；90 秒内完成的文件合并为一次运行；运行后移到 done 或 failed',
  });
});
