import type { EndCause, RunState } from '../../runs/run-record.ts';
import type { Text } from '../../shared/text.ts';

export const stateWords: Readonly<Record<RunState, Text>> = {
  queued: { en: '… Queued', zh: '… 排队中' },
  running: { en: '▶ Running', zh: '▶ 运行中' },
  succeeded: { en: '✓ Succeeded', zh: '✓ 成功' },
  failed: { en: '✗ Failed', zh: '✗ 失败' },
  unknown: { en: '? Unknown', zh: '? 结果未知' },
};

export const causeWords: Readonly<Record<EndCause, Text>> = {
  exit: { en: 'The script ended by itself', zh: '脚本自行结束' },
  signal: { en: 'A signal ended it', zh: '被信号终止' },
  timeout: { en: 'It took longer than it was allowed to', zh: '超出时间限制' },
  cancelled: { en: 'It was cancelled', zh: '被取消' },
  'spawn-failed': { en: 'It could not be started', zh: '无法启动' },
  shutdown: { en: 'It was stopped with the service', zh: '随服务停止' },
  lost: { en: 'Nobody saw its end', zh: '未能得知其结局' },
};

export const labels = {
  run: { en: 'Run', zh: '运行' },
  cause: { en: 'How it ended', zh: '结束方式' },
  exitCode: { en: 'Exit code', zh: '退出码' },
  queued: { en: 'Queued', zh: '提交' },
  started: { en: 'Started', zh: '开始' },
  ended: { en: 'Ended', zh: '结束' },
  duration: { en: 'Duration', zh: '用时' },
  soFar: { en: 'So far', zh: '已用时' },
  stdout: { en: 'Output', zh: '输出' },
  stderr: { en: 'Error output', zh: '错误输出' },
  nothing: { en: 'Nothing was written.', zh: '没有内容。' },
  nothingYet: { en: 'Nothing was written yet.', zh: '暂无内容。' },
  notKept: { en: 'What was written is not on record.', zh: '内容未保留。' },
  wholeStdout: { en: 'Whole output', zh: '完整输出' },
  wholeStderr: { en: 'Whole error output', zh: '完整错误输出' },
  record: { en: 'Record (JSON)', zh: '记录（JSON）' },
  refreshed: { en: 'This page looks again every two seconds.', zh: '本页每两秒自动刷新。' },
  unknownTitle: { en: 'There is no such run', zh: '没有这个运行' },
  unknownText: {
    en: 'No run has this id. It may have been deleted, or removed because the history keeps only so many.',
    zh: '没有此编号的运行记录，可能已被删除，或已超出历史记录的保留范围。',
  },
  allRuns: { en: 'Runs on record (JSON)', zh: '所有运行（JSON）' },
} as const satisfies Record<string, Text>;
