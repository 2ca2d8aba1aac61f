import { isAbsolute } from 'node:path';

import type { FastifyInstance } from 'fastify';
import { LaterError } from '../../contract/common.ts';
import { OpenFolderAnswer, OpenFolderBody } from '../../contract/service.ts';
import { AppError } from '../../shared/errors.ts';
import { bodyOf } from '../body-parsers.ts';
import type { AppDependencies } from '../dependencies.ts';

export function addOpenFolderRoute(app: FastifyInstance, { openFolder }: AppDependencies): void {
  const schema = {
    summary: 'Open a folder on the desktop',
    description:
      'Opens a folder, or the folder that contains a file, in the file manager of the machine that Hob runs on. Never opens the file itself.',
    body: OpenFolderBody,
    response: { 200: OpenFolderAnswer, '4xx': LaterError, '5xx': LaterError },
  };
  app.post('/api/open-folder', { schema }, async (request) => {
    const { path } = bodyOf(request).fields;
    if (typeof path !== 'string' || !isAbsolute(path) || path.includes('\0')) {
      throw new AppError('field-invalid', { en: 'path must be an absolute path', zh: 'path 应为绝对路径' });
    }
    return { status: 'success', folder: await openFolder(path) };
  });
}
