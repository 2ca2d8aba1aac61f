import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';

import { catchInterrupt } from '../interrupt.ts';
import { tr } from '../language.ts';
import { printable } from '../terminal/text.ts';
import { LineOutput } from './line-output.ts';
import { McpProxy } from './mcp-proxy.ts';
import { readLines } from './message-lines.ts';
import { ServiceLink } from './service-link.ts';

/** How long a client that has left may take to read the last answers. */
const lastReadMs = 500;

/** Serves the client that has started this process, until it closes stdin or stdout, or ends the process. */
export async function serveClient(home: string): Promise<void> {
  const { stdin, stdout, stderr } = process;
  if (stdin.isTTY)
    stderr.write(
      tr(
        'Waiting for an MCP client on stdin. To let a client start this command: hob mcp install\n',
        '正在等待 MCP 客户端通过标准输入连接。要让客户端自动启动此命令：hob mcp install\n',
      ),
    );
  const interrupt = catchInterrupt();
  const output = new LineOutput(stdout);
  const proxy = new McpProxy(new ServiceLink(home), {
    write: (line) => output.write(line),
    warn: (text) => void stderr.write(`hob: ${printable(text)}\n`),
  });
  const lines = readLines(stdin, {
    onLine: (line) => proxy.take(line),
    onTooLong: () => proxy.refuseLongLine(),
  });
  await Promise.race([lines, once(interrupt.signal, 'abort'), once(stdout, 'close'), failureOf(stdout)]);
  await proxy.close({ isUrgent: interrupt.signal.aborted });
  await Promise.race([flushed(stdout), wait(lastReadMs)]);
  // A client that reads no more must not keep this process.
  stdout.destroy();
}

function failureOf(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.once('error', () => resolve()));
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}
