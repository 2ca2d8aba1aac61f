import type { Script } from '../../api/wire.ts';
import { inputField } from './make-call.ts';

/** The field that an error of the service is about, found by the path in its message, such as `params.size`. */
export function refusedField(
  message: string,
  { input, params }: Pick<Script, 'input' | 'params'>,
): string | null {
  const isNamed = (path: string) => {
    const at = message.indexOf(path);
    // `params.size` must not match `params.size_max`.
    return at >= 0 && !/^[\p{L}\p{N}_-]/u.test(message.slice(at + path.length));
  };
  const param = params.find(({ name }) => isNamed(`params.${name}`));
  if (param !== undefined) return param.name;
  return input !== null && isNamed(`data.${input.name}`) ? inputField : null;
}
