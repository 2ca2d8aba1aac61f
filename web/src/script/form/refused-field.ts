import type { Script } from '../../api/wire.ts';
import { inputField } from './make-call.ts';

/** The field that a refusal of the service is about: its texts name params and data as the request has them. */
export function refusedField(
  message: string,
  { input, params }: Pick<Script, 'input' | 'params'>,
): string | null {
  const isNamed = (path: string) => {
    const at = message.indexOf(path);
    // `params.size` is not meant where `params.size_max` is.
    return at >= 0 && !/^[\p{L}\p{N}_-]/u.test(message.slice(at + path.length));
  };
  const param = params.find(({ name }) => isNamed(`params.${name}`));
  if (param !== undefined) return param.name;
  return input !== null && isNamed(`data.${input.name}`) ? inputField : null;
}
