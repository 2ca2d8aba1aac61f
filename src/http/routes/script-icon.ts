import type { FastifyInstance } from 'fastify';
import { LaterError } from '../../contract/common.ts';
import { IconAnswer } from '../../contract/scripts.ts';
import { readIcon } from '../../scripts/read-icon.ts';
import { AppError } from '../../shared/errors.ts';
import type { AppDependencies } from '../dependencies.ts';

/** An SVG may contain scripts. Opened directly, it would otherwise run as a page of this service. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

export function addScriptIconRoute(app: FastifyInstance, { catalogue }: AppDependencies): void {
  const schema = {
    summary: 'Get the icon of a script',
    description:
      'Returns the image that the manifest names. The file must be inside the folder of the script.',
    response: { 200: IconAnswer, '4xx': LaterError, '5xx': LaterError },
  };
  app.get<{ Params: { id: string } }>('/api/scripts/:id/icon', { schema }, async (request, reply) => {
    const { id } = request.params;
    const script = catalogue.find(id);
    const icon = script === null ? null : await readIcon(script);
    if (icon === null) throw noIcon(id);
    return reply.headers({ 'content-type': icon.type, 'content-security-policy': policy }).send(icon.bytes);
  });
}

function noIcon(id: string): AppError {
  const given = id.slice(0, 100);
  return new AppError(
    'icon-unknown',
    { en: `The script ${given} has no usable icon`, zh: `脚本 ${given} 没有可显示的图标` },
    {
      hint: {
        en: 'An icon must be a png, jpg, gif, webp, svg or ico file of at most 1 MiB in the folder of the script.',
        zh: '图标应为脚本文件夹内的 png、jpg、gif、webp、svg 或 ico 文件，且不超过 1 MiB。',
      },
    },
  );
}
