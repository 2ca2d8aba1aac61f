/** Why a trigger did not start a run, and the words for it. Plain data: the command and the console use it. */

interface Words {
  readonly en: string;
  readonly zh: string;
}

export const firingReasons = {
  missed: {
    en: 'Hob was not running, or the computer was asleep, and the schedule skips missed slots',
    zh: '当时 Hob 未运行或电脑处于睡眠状态，且该计划设为跳过错过的时间',
  },
  'missed-too-long': {
    en: 'Hob was not running, or the computer was asleep, for longer than missed_within',
    zh: 'Hob 未运行或电脑睡眠的时间超过了 missed_within',
  },
  'missed-merged': {
    en: 'several slots were missed; one run was started for the last of them',
    zh: '错过了多个时间，只为最后一个启动了一次运行',
  },
  overlap: { en: 'the previous run had not ended', zh: '上一次运行尚未结束' },
  paused: { en: 'the trigger was off', zh: '触发器当时已关闭' },
  'clock-back': {
    en: 'the clock was set back, and this slot had already fired',
    zh: '系统时间被调回，而该时间已经触发过',
  },
  'script-missing': { en: 'the script does not exist, or cannot run', zh: '脚本不存在或无法运行' },
  'cannot-start': { en: 'the run could not be started', zh: '无法启动运行' },
  'bad-input': { en: 'the script does not accept its data or params', zh: '脚本不接受所给的数据或参数' },
  'no-signature': { en: 'the delivery has no signature or token', zh: '请求没有签名或令牌' },
  'wrong-signature': { en: 'the signature or token is wrong', zh: '签名或令牌不正确' },
  'too-old': {
    en: 'the time of the delivery differs from the clock by more than five minutes',
    zh: '请求的时间与本机时间相差超过五分钟',
  },
  repeated: { en: 'this delivery was received before', zh: '该请求此前已收到' },
  'too-large': { en: 'the delivery is larger than 1 MiB', zh: '请求超过 1 MiB' },
  'too-many': { en: 'more than 60 deliveries within a minute', zh: '一分钟内超过 60 次请求' },
  browser: { en: 'the delivery came from a web page', zh: '请求来自网页' },
  malformed: {
    en: 'the delivery is not valid HTTP, was cut short, or has an invalid or repeated header',
    zh: '请求不是有效的 HTTP、不完整，或含有无效或重复的请求头',
  },
  'secret-missing': {
    en: 'the secret of the webhook is not stored, or cannot be read',
    zh: '该 Webhook 的密钥未保存或无法读取',
  },
  'not-utf8': { en: 'the name of the file is not valid UTF-8', zh: '文件名不是有效的 UTF-8' },
  'changed-by-run': {
    en: 'the file changed during each of its runs, probably by the script itself',
    zh: '文件在每次运行期间都被修改，可能是脚本自己修改的',
  },
  gone: { en: 'the file disappeared before the run started', zh: '文件在运行开始前消失了' },
} as const satisfies Record<string, Words>;

export type FiringReason = keyof typeof firingReasons;
