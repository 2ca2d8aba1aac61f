import type { Say } from '../language/language.tsx';
import type { Operation } from './read-document.ts';

/** The title of an operation. The document is in English. Without a translation here, the English title is shown. */
export function titleOf({ method, path, summary }: Operation, say: Say): string {
  return say(summary, chineseTitles[`${method} ${path}`] ?? summary);
}

const chineseTitles: Readonly<Record<string, string>> = {
  'POST /api/execute': '运行脚本',
  'POST /api/link': '在运行中的脚本里调用节点',
  'POST /api/notify': '显示通知',
  'GET /api/notifications': '通知列表',
  'GET /api/notifications/outgoing': '通知的外发状态',
  'POST /api/notifications/test': '发送测试通知',
  'GET /api/model/path': '模型所在的文件夹',
  'POST /api/models/download': '下载模型',
  'GET /api/models/downloads': '模型下载列表',
  'GET /api/models/downloads/{id}': '单个下载',
  'POST /api/models/downloads/{id}/cancel': '停止下载',
  'GET /api/models': '全部模型',
  'GET /api/models/{owner}/{name}': '单个模型',
  'DELETE /api/models/{owner}/{name}': '删除模型',
  'GET /api/scripts': '全部脚本',
  'GET /api/script.schema.json': '清单的 JSON Schema',
  'GET /api/scripts/{id}': '单个脚本',
  'GET /api/scripts/{id}/icon': '脚本的图标',
  'POST /api/scripts/{id}/runs': '开始一次运行',
  'POST /api/scripts/{id}/prepare': '准备脚本的运行环境',
  'GET /api/outcomes': '各脚本最近的运行情况',
  'GET /api/runs/{id}/terminal': '运行的终端',
  'POST /api/runs/{id}/terminal/input': '在运行的终端中输入',
  'POST /api/runs/{id}/terminal/size': '调整运行终端的大小',
  'GET /api/triggers': '触发器列表',
  'POST /api/triggers/check': '检查触发器',
  'GET /api/triggers/{id}': '单个触发器',
  'PUT /api/triggers/{id}': '新建或替换触发器',
  'PATCH /api/triggers/{id}': '修改触发器',
  'DELETE /api/triggers/{id}': '删除触发器',
  'POST /api/triggers/{id}/fire': '立即触发',
  'GET /api/triggers/{id}/slots': '触发器的触发记录',
  'GET /api/agents': '提供给智能体的脚本',
  'PUT /api/agents/scripts/{id}': '向智能体提供脚本',
  'GET /api/agents/questions': '智能体的待答问题',
  'POST /api/agents/questions/{id}': '回答智能体的问题',
  'GET /api/files': '本机文件夹的内容',
  'POST /api/open-folder': '在桌面上打开文件夹',
  'GET /api/packages': '已安装的脚本包',
  'POST /api/packages/install': '安装脚本包',
  'POST /api/packages/{id}/update': '更新脚本包',
  'POST /api/packages/{id}/rollback': '回退到上一版本',
  'DELETE /api/packages/{id}': '卸载脚本包',
  'GET /api/package-operations': '脚本包操作列表',
  'GET /api/package-operations/{id}': '单个操作',
  'POST /api/package-operations/{id}/cancel': '停止操作',
  'GET /api/environments': '运行环境列表',
  'DELETE /api/environments/{key}': '删除运行环境',
  'GET /api/secrets': '已保存的密钥',
  'PUT /api/secrets/{name}': '保存密钥',
  'DELETE /api/secrets/{name}': '删除密钥',
  'GET /api/runs': '运行记录',
  'GET /api/runs/{id}': '单次运行',
  'DELETE /api/runs/{id}': '删除运行记录',
  'GET /api/runs/{id}/notes': 'Hob 对某次运行的说明',
  'GET /api/runs/{id}/attempts': '运行的各次尝试',
  'POST /api/runs/{id}/cancel': '停止运行',
  'POST /api/runs/{id}/rerun': '再次运行',
  'GET /api/runs/{id}/tree': '运行的调用链',
  'GET /api/runs/{id}/events': '某次运行的事件',
  'GET /api/runs/{id}/stdout': '某次运行的 stdout',
  'GET /api/runs/{id}/stderr': '某次运行的 stderr',
  'GET /api/stats': '次数、结果与耗时统计',
  'GET /api/events': '全部事件',
  'POST /api/progress': '报告运行进度',
  'GET /api/health': '服务状态',
  'GET /api/settings': '生效的设置',
  'GET /api/runtimes': '语言运行时',
  'POST /api/stop': '停止服务',
  'POST /api/session': '开始会话',
  'DELETE /api/session': '结束会话',
  'GET /metrics': '监控指标',
  'GET /api/openapi.json': 'OpenAPI 文档',
};

/** The description of an operation. The document is in English. Without a translation here, the English text is shown. */
export function descriptionOf({ method, path, description }: Operation, say: Say): string {
  return say(description, chineseDescriptions[`${method} ${path}`] ?? description);
}

const output =
  '脚本写出的原始字节，运行期间和结束后都可读取。使用 `follow` 时，应答会持续到运行结束；中断后可用 `Range: bytes=<已收到的字节数>-` 继续。';

const operations = '正在进行的，以及服务启动以来最近结束的，最新的在前。';

const chineseDescriptions: Readonly<Record<string, string>> = {
  'POST /api/execute': '按 id 运行任意脚本；`sync` 为 true 时等待其结束。',
  'POST /api/link': '由运行中的脚本调用。等待节点运行结束，并返回其结果。',
  'POST /api/notify': '向坐在桌面前的人显示一个通知气泡。',
  'GET /api/notifications': '最近 200 条通知，最新的在前，分页返回。删除某次运行时，它的通知也一并删除。',
  'GET /api/notifications/outgoing': '通知是否也发送到设置 `notify_url` 中的网址，以及最近一次是否送达。',
  'POST /api/notifications/test':
    '向设置 `notify_url` 中的网址发送一条测试通知（仅一次），并返回对方的应答。脚本不能用运行令牌调用。',
  'GET /api/model/path': '已下载模型所在的文件夹。',
  'POST /api/models/download': '开始下载模型；如果该模型已在下载，则加入这次下载。应答立即返回。',
  'GET /api/models/downloads': operations,
  'POST /api/models/downloads/{id}/cancel':
    '停止下载，所有等待者都会受影响。已下载的部分会保留，下次下载该模型时从断点继续。',
  'GET /api/models': '本机上的全部模型，无论是否完整、位于何处；也包括脚本需要但本机没有的模型。',
  'GET /api/models/{owner}/{name}':
    '该模型在本机上的各个副本，按查找顺序排列；只有脚本需要而本机没有的模型列为缺失。',
  'DELETE /api/models/{owner}/{name}':
    '删除某个位置上该模型的全部文件，并返回释放的空间。设置 `model_folders` 中的文件夹不会被改动，除非它本来就是 Hob 已知的缓存。',
  'GET /api/scripts': '全部脚本，以及无法加载的脚本存在的所有问题。',
  'GET /api/script.schema.json': '供编辑器补全和检查 script.toml。',
  'POST /api/scripts/{id}/runs':
    '按脚本的 ID 或 slug 开始一次运行，返回其记录。指定 `wait_s` 时等待运行及其重试结束，但不超过该时间。调用方断开连接后运行仍会继续。',
  'GET /api/scripts/{id}/icon': '清单中指定的图标文件，该文件必须位于脚本的文件夹内。',
  'GET /api/triggers': 'triggers.toml 中的触发器，以及各清单建议的触发器。',
  'POST /api/triggers/check': '返回这些字段的触发器会做什么、有哪些错误，不保存。',
  'GET /api/triggers/{id}': '某个触发器，以及它接下来的时间、存在的问题和最近一次触发。',
  'PUT /api/triggers/{id}': '将触发器存入 triggers.toml，其他条目和所有注释保持不变。',
  'PATCH /api/triggers/{id}':
    '修改给出的字段，其余不变。`enabled` 为 false 时暂停，为 true 时恢复；暂停期间错过的时间不会补上。',
  'DELETE /api/triggers/{id}': '删除触发器及其记录。它启动过的运行仍保留在运行记录中。',
  'POST /api/triggers/{id}/fire':
    '像触发器那样启动一次运行，暂停时也可以。`data` 和 `params` 会覆盖触发器自己的值。文件夹触发器须带 `data`。',
  'GET /api/triggers/{id}/slots':
    '计划过去的各个时间、文件夹收到的文件或 Webhook 收到的请求，最新的在前：启动了哪次运行，或因何跳过、拒绝。',
  'GET /api/agents': '全部可用的脚本、智能体能否将其作为工具调用，以及等待用户同意的运行。',
  'PUT /api/agents/scripts/{id}':
    '按脚本的 ID 或 slug 保存：智能体能否使用它，以及每次运行前是否询问用户。未给出的字段保持不变，null 恢复为统一规则。',
  'GET /api/agents/questions': '智能体请求的、等待用户同意的运行。',
  'POST /api/agents/questions/{id}':
    '允许或拒绝智能体等待的运行。如果智能体已不再等待，它在提问后十分钟内的下一次相同调用会得到该回答，仅一次。',
  'GET /api/files': '用于选择文件和文件夹。只列出名称、类型、大小和时间，不显示文件内容。最多 10,000 项。',
  'GET /api/packages': '已安装的脚本包、它们的来源，以及能否回退到之前的版本。',
  'POST /api/packages/install':
    '开始安装脚本。应答立即返回；进度可以查询，也会以事件通知。安装失败时不留下任何内容。',
  'POST /api/packages/{id}/update':
    '开始用另一个版本替换已安装的版本。新版本可用之前旧版本保持不变，之后也会保留，以便回退。',
  'POST /api/packages/{id}/rollback': '被换下的版本会保留，再次回退即可换回。',
  'DELETE /api/packages/{id}': '立即生效。正在进行的运行会保留所需文件，直到结束。',
  'POST /api/scripts/{id}/prepare': '提前准备脚本运行所需的环境，使首次运行无需等待。',
  'GET /api/package-operations': operations,
  'POST /api/package-operations/{id}/cancel':
    '不留下任何内容，之前安装的版本保持不变。即将生效的操作仍会完成。',
  'GET /api/environments': '已为脚本准备好的运行环境，以及哪些脚本需要它们。',
  'DELETE /api/environments/{key}': '脚本需要时会重新创建。正在构建或有运行正在使用时会被拒绝。',
  'GET /api/secrets': '列出已保存密钥的名称。任何操作都不会返回密钥的值。',
  'PUT /api/secrets/{name}': '加密保存密钥的值，替换该名称原有的值。',
  'DELETE /api/secrets/{name}': '删除已保存的密钥。使用它的 Webhook 将不再接受请求。',
  'GET /api/runs/{id}': '某次运行的记录，运行期间和结束后都可读取。使用 `wait` 时，应答在运行结束后返回。',
  'DELETE /api/runs/{id}':
    '删除已结束的运行：它的记录和文件夹，以及其中的全部内容。如果它还将重试，则不再重试。',
  'GET /api/runs/{id}/notes': '例如为什么没有打开窗口。脚本自己的输出不在这里。',
  'GET /api/runs/{id}/attempts': '该次运行所属的一系列尝试。不重试的运行只有一次。',
  'POST /api/runs/{id}/cancel':
    '将排队中的运行移出队列，或停止运行中的脚本，连同它的所有进程以及它所等待的运行。它所属的一系列尝试也随之结束，即使这一次已经结束。应答立即返回；运行如何结束见其记录。',
  'POST /api/runs/{id}/rerun':
    '用记录中的 data 和 params 再次异步运行同一脚本。密钥不在记录中，需要重新发送。',
  'GET /api/runs': '符合条件的运行记录，最新的在前，分页返回。',
  'GET /api/runs/{id}/tree':
    '该次运行、引起它的运行，以及这些运行启动的全部运行：从仍有记录的最早一次开始的树。',
  'GET /api/stats': '按脚本和本地日期统计运行的结果与耗时。运行结束时即计入，因此与记录是否仍然保留无关。',
  'GET /api/outcomes': '全部或部分脚本最近的运行：各次的结果、时间和耗时。',
  'GET /api/events':
    '实时事件（server-sent events）。带有 `Last-Event-ID` 或 `since` 时，先返回该事件之后的全部事件。',
  'GET /api/runs/{id}/events':
    '某次运行的状态、实时输出与进度，以及它的结束（server-sent events）。带有 `Last-Event-ID` 或 `since` 时，输出从上次的位置继续。',
  'POST /api/progress': '由运行中的脚本通过它自己的地址 `environment.api_base` 调用。',
  'GET /api/runs/{id}/stdout': output,
  'GET /api/runs/{id}/stderr': output,
  'POST /api/open-folder':
    '在运行 Hob 的机器上，用文件管理器显示某个文件夹，或某个文件所在的文件夹。文件本身不会被打开。',
  'GET /api/runs/{id}/terminal':
    '针对从控制台启动的运行：它是否有可以输入的终端，以及终端的大小。脚本的输出随该次运行的事件返回。',
  'POST /api/runs/{id}/terminal/input':
    '脚本读到的内容与键盘输入相同；Ctrl-C 为 `\\u0003`。带有 `sender` 和 `number` 时，没有得到应答的请求可以重发。',
  'POST /api/runs/{id}/terminal/size': '脚本会收到通知（SIGWINCH）。',
  'GET /api/settings': '每项设置的当前值、默认值和来源。设置在服务启动时读取，不包含密钥。',
  'GET /api/runtimes': '用于启动脚本的解释器、缺少的解释器，以及哪些脚本需要它们。',
  'POST /api/stop': '不再接受新的请求，等待同步调用者完成后结束。异步运行会继续，除非 `all` 为 true。',
  'POST /api/session':
    '供浏览器中的 Hob 页面在需要令牌时使用：带令牌调用（`Authorization: Bearer`）会设置一个代表令牌的 cookie，直到会话结束或过期、令牌更新或服务停止。不需要令牌时没有会话，`expires_at` 为 null。',
  'DELETE /api/session': '使 cookie 失效并将其收回。',
  'GET /metrics': '本服务及其进程的计数器和仪表，采用 Prometheus 文本格式。',
  'GET /api/openapi.json': '以 OpenAPI 3.1 文档描述本接口。',
  'GET /api/models/downloads/{id}': '某次下载的进度或结果。',
  'GET /api/package-operations/{id}': '某次操作的进度或结果。',
  'GET /api/scripts/{id}': '具有该 ID 或 slug 的脚本（以清单为准），以及它的模型的状态。',
  'GET /api/health': '服务的状态。需要令牌时，没有令牌的调用者看不到解释器列表。',
};
