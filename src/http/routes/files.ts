import type { FastifyInstance } from 'fastify';
import { LaterError } from '../../contract/common.ts';
import { FilesAnswer, FilesQuery } from '../../contract/files.ts';
import { type FolderEntry, listFolder } from '../../files/list-folder.ts';
import type { AppDependencies } from '../dependencies.ts';
import { QueryFields } from '../query-fields.ts';
import { whenAnsweredOr } from '../when-answered.ts';

export function addFilesRoute(app: FastifyInstance, { closing }: AppDependencies): void {
  const schema = {
    summary: 'List a folder',
    description:
      'Lists the names, kinds, sizes and times of up to 10,000 entries, so that a user can choose files and folders. Never returns the content of files.',
    querystring: FilesQuery,
    response: { 200: FilesAnswer, '4xx': LaterError, '5xx': LaterError },
  };
  app.get('/api/files', { schema }, async (request, reply) => {
    const query = new QueryFields(request.query, Object.keys(FilesQuery.properties));
    const signal = whenAnsweredOr(closing, request, reply);
    const { isComplete, entries, ...listing } = await listFolder(query.text('path'), { signal });
    return { ...listing, complete: isComplete, entries: entries.map(entryAnswer) };
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
