import type { Text } from '../shared/text.ts';
import { kindOf } from './default-settings.ts';
import { type SettingName, SettingsSchema } from './schema.ts';

/** Describes the valid values of a setting, for the message about an invalid one. */
export function expectation(name: SettingName): Text {
  const schema: Record<string, unknown> = { ...SettingsSchema.properties[name] };
  if (Array.isArray(schema.enum)) {
    const choices = schema.enum.join(', ');
    return { en: `${name} must be one of ${choices}`, zh: `${name} 必须是以下之一：${choices}` };
  }
  return special(name) ?? usual(name, schema);
}

function special(name: SettingName): Text | null {
  switch (name) {
    case 'extra_hosts':
      return {
        en: 'extra_hosts must be a list of values of the Host header, such as hob.local:9527',
        zh: 'extra_hosts 必须是 Host 请求头取值的列表，例如 hob.local:9527',
      };
    case 'trusted_origins':
      return {
        en: 'trusted_origins must be a list of origins, such as http://localhost:3000, with nothing after the host and port',
        zh: 'trusted_origins 必须是来源（origin）的列表，例如 http://localhost:3000，主机和端口之后不能有其他内容',
      };
    case 'listen':
      return {
        en: 'listen must be a list of strings with at least one address',
        zh: 'listen 必须是字符串列表，至少包含一个地址',
      };
    case 'terminal_command':
      return {
        en: 'terminal_command must be a list of strings, a program and its arguments, none of them empty or with a NUL character',
        zh: 'terminal_command 必须是字符串列表，即程序及其参数，每一项都不能为空或含有 NUL 字符',
      };
    case 'huggingface_endpoint':
    case 'modelscope_endpoint':
      return {
        en: `${name} must be a URL, such as https://huggingface.co, or empty`,
        zh: `${name} 必须是网址，例如 https://huggingface.co，或者留空`,
      };
    case 'token':
      return {
        en: 'token must be true or false; the token itself is in a separate file, and `hob token` prints it',
        zh: 'token 必须是 true 或 false；令牌本身保存在单独的文件中，可用 `hob token` 查看',
      };
    default:
      return null;
  }
}

function usual(name: SettingName, { type, minimum, maximum }: Record<string, unknown>): Text {
  switch (kindOf(name)) {
    case 'list':
      return { en: `${name} must be a list of strings`, zh: `${name} 必须是字符串列表` };
    case 'truth':
      return { en: `${name} must be true or false`, zh: `${name} 必须是 true 或 false` };
    case 'number':
    case 'text': {
      const isWhole = type === 'integer';
      return {
        en: `${name} must be ${isWhole ? 'an integer' : 'a number'} from ${minimum} to ${maximum}`,
        zh: `${name} 必须是 ${minimum} 到 ${maximum} 之间的${isWhole ? '整数' : '数字'}`,
      };
    }
  }
}
