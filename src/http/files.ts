import { isAbsolute } from 'node:path';

import type { FastifyInstance } from 'fastify';

import { FilesAnswer, FilesQuery, OpenFolderAnswer, OpenFolderBody } from '../contract/files.ts';
import { type FolderEntry, listFolder } from '../files/folders.ts';
import { AppError } from '../shared/errors.ts';
import type { AppDependencies } from './dependencies.ts';
import { QueryFields } from './fields.ts';
import { bodyOf, whenAnsweredOr } from './request.ts';
import { route } from './route.ts';

export function addFilesRoute(app: FastifyInstance, { closing }: AppDependencies): void {
  route(app, 'GET /api/files', {
    operationId: 'listFolder',
    tag: 'Service',
    summary: 'List a folder',
    description:
      'Lists the names, kinds, sizes and times of up to 10,000 entries, so that a user can choose files and folders. Never returns the content of files.',
    query: FilesQuery,
    answer: FilesAnswer,
    async handle(request, reply) {
      const query = new QueryFields(request.query, FilesQuery);
      const signal = whenAnsweredOr(closing, request, reply);
      const { isComplete, entries, ...listing } = await listFolder(query.text('path'), { signal });
      return { ...listing, complete: isComplete, entries: entries.map(entryAnswer) };
    },
  });
}

function entryAnswer({ name, kind, isLink, sizeBytes, modifiedAt }: FolderEntry) {
  return {
    name,
    kind,
    link: isLink,
    hidden: name.startsWith('.'),
    size: sizeBytes,
    modified: modifiedAt,
  };
}

export function addOpenFolderRoute(app: FastifyInstance, { openFolder }: AppDependencies): void {
  route(app, 'POST /api/open-folder', {
    operationId: 'openFolder',
    tag: 'Service',
    summary: 'Open a folder on the desktop',
    description:
      'Opens a folder, or the folder that contains a file, in the file manager of the machine that Hob runs on. Never opens the file itself.',
    body: OpenFolderBody,
    examples: {
      folder: { summary: 'A folder', body: { path: '/home/ada/pictures' } },
    },
    answer: OpenFolderAnswer,
    async handle(request) {
      const { path } = bodyOf(request).fields;
      if (typeof path !== 'string' || !isAbsolute(path) || path.includes('\0'))
        throw new AppError('field-invalid', {
          en: 'path must be an absolute path',
          zh: 'path 应为绝对路径',
          fields: ['path'],
        });
      return { status: 'success', folder: await openFolder(path) };
    },
  });
}
