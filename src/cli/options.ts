import { tr } from './language.ts';

/** Options that many commands share. */
export const homeOption = [
  '--home <dir>',
  tr(
    "home folder of the service (default: HOB_HOME, or the platform's data folder)",
    '服务的数据目录（默认：HOB_HOME，否则为系统的数据文件夹）',
  ),
] as const;
export const jsonOption = [
  '--json',
  tr('print the response of the service as JSON', '输出服务返回的 JSON，供程序使用'),
] as const;
/** For commands that print something other than the response of the service. */
export const plainJsonOption = ['--json', tr('print JSON', '输出 JSON，供程序使用')] as const;
export const operationJsonOption = [
  '--json',
  tr('print the finished operation as JSON', '输出操作结果的 JSON，供程序使用'),
] as const;

/** Help text of a `<script>` argument. */
export const scriptMeaning = tr(
  'script id, id prefix (at least 4 characters) or exact name',
  'ID、ID 的开头（至少 4 个字符）或完整名称',
);

export interface CommonOptions {
  home?: string;
  json?: boolean;
}
