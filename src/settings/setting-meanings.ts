import type { Text } from '../shared/text.ts';
import { type SettingName, SettingsSchema } from './schema.ts';

/** Describes a setting. The English text comes from the schema, without links, which work only in the documentation. */
export function meaningOf(name: SettingName): Text {
  const { description }: Record<string, unknown> = { ...SettingsSchema.properties[name] };
  return { en: String(description).replace(/\[([^\]]+)\]\([^)]+\)/g, '$1'), zh: chinese[name] };
}

const chinese: Readonly<Record<SettingName, string>> = {
  listen:
    '监听的地址，写成 IP 地址；`localhost` 表示默认的两个地址。只有 `token = true` 时才能使用本机以外的地址。参数 `--host` 可指定单个地址。',
  port: '监听的端口。0 表示优先使用上次的端口，被占用时任选一个空闲端口。',
  scripts: '数据目录下 `scripts/` 之外的脚本文件夹。参数 `--scripts` 可追加。',
  model_folders:
    '额外查找模型的文件夹：`OWNER/NAME` 结构的文件夹，或放在别处的 Hugging Face、ModelScope 缓存。其中的内容绝不会被删除。',
  hooks_listen:
    '接收 Webhook 的单独监听地址和端口，例如 `127.0.0.1:8790`；只写端口表示 `127.0.0.1`。有已开启的 Webhook 时才监听。留空则不接收。参数 `--hooks-listen` 可指定。',
  log_level: '输出到 stderr 的日志级别。',
  extra_hosts:
    '额外接受的 Host 请求头取值，与客户端发送的完全一致：除标准端口外须带端口，例如 `hob.local:9527`。',
  trusted_origins: '允许其网页调用 Hob 的来源（origin），例如 `http://localhost:3000`。',
  token:
    '调用方是否必须出示此数据目录的令牌（用 `hob token` 查看）。监听本机以外的地址时必须开启。参数 `--token` 可开启。',
  max_connections:
    '同时连接数上限，且不超过 Hob 可用文件句柄数的一半。超过时先关闭空闲和卡住的连接，再以 503 拒绝新连接。',
  receive_s:
    '客户端发送请求头的时限，也是发送请求体时允许停顿的时长，超时以 408 拒绝。整个请求的时限是它的十倍。',
  max_runs: '同时运行的上限。默认取 8 和核心数的 4 倍中较大的一个。',
  max_queued: '允许排队的运行数，超出时以 503 拒绝。',
  queue_wait_s: '同步调用或 link 等待空位的时限，超时以 503 拒绝。',
  timeout_s: '清单未设置时限的脚本的运行时限。0 表示不限。',
  stop_grace_s: '要求脚本结束后，等待多久才强制终止。',
  drain_s: '服务停止时，为同步调用方等待多久。',
  on_stop:
    '服务停止时如何处理异步运行：`leave` 让它们继续，排队的留待下次启动；`stop` 全部结束，与 `hob stop --all` 相同。',
  heartbeat_s:
    '同步调用超过此时长后，每隔这么久发送一个空格，以免客户端放弃。事件流静默这么久（最长 15 秒）后会收到一条注释。',
  idempotency_hours: '`Idempotency-Key` 在多长时间内对应首次使用它的那次运行。',
  desktop_notifications: '是否在桌面上显示通知。关闭后，通知只保留在通知列表中，可在控制台查看。',
  notify_url:
    '同时将通知发送到的网址，例如 `https://ntfy.sh/my-topic`。留空则不发送。网址按机密处理，只显示其主机。',
  notify_format: '发送到 `notify_url` 的内容：`json`（JSON 对象）或 `ntfy`（正文加 ntfy 的请求头）。',
  notify_send:
    '哪些通知发送到 `notify_url`：`errors`（运行失败、Hob 自身的问题，以及脚本报告的错误）或 `all`（全部）。',
  mcp_packages:
    '智能体可以使用已安装脚本包中的哪些脚本：`chosen`（仅限在控制台“智能体”页面中提供的脚本）、`declared`（另加清单中 `[service.mcp]` 写有 `enabled = true` 的脚本）或 `all`（全部）。已停止提供的脚本始终不提供。',
  terminal_command:
    '打开终端窗口的命令：程序及其参数，窗口中要执行的命令会追加在后面，例如 `["xterm", "-maximized", "-e"]`。留空则由 Hob 自行查找。',
  terminal_hold:
    '运行结束后终端窗口何时保持打开、等待按键：`failure` 仅在失败时，`always` 总是，`never` 从不。',
  output_log_mib: '每次运行的每路输出在磁盘上保留多少：开头和结尾各占一半。',
  output_answer_mib: '应答中每路输出的上限。',
  result_mib: '可读取的结果文件的最大大小。',
  history_days: '结束时间早于此天数的运行记录及其文件夹会被删除。0 表示不限。',
  history_runs: '保留的已结束运行的上限，最早排队的先删除。0 表示不限。',
  history_mib: '所有运行记录和文件夹占用磁盘的上限。0 表示不限。',
  environments:
    '声明了依赖包的脚本（`requirements.txt`、`pyproject.toml`、PEP 723、`package.json`）是否使用各自的运行环境。关闭后使用本机已安装的包。',
  environment_days: '不再有脚本需要的运行环境，超过此天数未使用即被删除。',
  warm_memory_mb: '所有预热的解释器合计可占用的内存（MB）。0 表示不预热，每次运行都启动新的解释器。',
  warm_idle_minutes: '预热的解释器超过此时长没有可用的运行时即被结束。',
  native_start:
    '在 Linux 和 macOS 上是否用系统调用直接启动程序。关闭后通过 Node 启动：较慢，不预热解释器，脚本也不能打开 `/dev/stderr`。用于无法直接调用的机器。macOS 上的调用已经写好，但尚未在 macOS 上运行过。',
  huggingface_endpoint:
    'Hugging Face 模型的下载地址，例如镜像站。留空则使用 `HF_ENDPOINT`，再其次是 `https://huggingface.co`。',
  modelscope_endpoint:
    'ModelScope 模型的下载地址。留空则使用 `MODELSCOPE_ENDPOINT`，再其次是 `https://www.modelscope.cn`。',
  json_body_mib: '可接受的 JSON 请求体的最大大小。',
  form_body_mib: '可接受的表单请求体的最大大小。',
};
