import { createServer } from 'node:net';

import { inUrl, isLoopback } from '../../shared/addresses.ts';
import { errnoOf } from '../../shared/errors.ts';
import type { Text } from '../../shared/text.ts';
import type { DoctorContext } from '../doctor-context.ts';
import { type Finding, ok, problem } from '../finding.ts';
import { askHealth } from './ask-health.ts';

/** Checks that the service can listen on its addresses, if it is not running. */
export async function checkPort(
  { settings, service }: DoctorContext,
  signal: AbortSignal,
): Promise<Finding[]> {
  const { listen, port } = settings;
  // Port 0 selects any free port.
  if (service !== null || port === 0) return [];
  for (const address of listen) {
    const errno = await tryListen(address, port);
    if (errno === null) continue;
    // A machine without IPv6 is still reachable by the other address.
    const isAbsent = errno === 'EADDRNOTAVAIL' || errno === 'EAFNOSUPPORT';
    if (isAbsent && address === '::1' && listen.length > 1) continue;
    return [await explain({ address, port, errno }, signal)];
  }
  return [ok('service', { en: `Port ${port} is free`, zh: `端口 ${port} 空闲` })];
}

async function explain(
  { address, port, errno }: { address: string; port: number; errno: string },
  signal: AbortSignal,
): Promise<Finding> {
  const place = `${inUrl(address)}:${port}`;
  if (errno === 'EADDRNOTAVAIL')
    return problem(
      'service',
      { en: `This machine has no address ${address}`, zh: `这台电脑没有地址 ${address}` },
      { en: 'Correct the setting listen in settings.toml.', zh: '请更正 settings.toml 中的 listen。' },
    );
  if (errno !== 'EADDRINUSE')
    return problem(
      'service',
      { en: `Hob cannot listen on ${place} (${errno})`, zh: `Hob 无权监听 ${place}（${errno}）` },
      { en: `Use another address, or ${other.en}.`, zh: `请换一个地址，或${other.zh}。` },
    );
  const reached = isLoopback(address) ? inUrl(address) : '127.0.0.1';
  const health = await askHealth(`http://${reached}:${port}`, null, signal);
  if (health.kind === 'well' || health.kind === 'asks-for-token') {
    const version = health.kind === 'well' ? ` ${String(health.answer.version)}` : '';
    return problem(
      'service',
      {
        en: `Another Hob${version}, with a different home, already listens on ${place}`,
        zh: `另一个使用其他数据目录的 Hob${version} 正在监听 ${place}`,
      },
      {
        en: `Stop it (hob stop --home <its home>), or ${other.en}.`,
        zh: `请停止它（hob stop --home <它的数据目录>），或${other.zh}。`,
      },
    );
  }
  return problem(
    'service',
    { en: `Another program already listens on ${place}`, zh: `另一个程序正在监听 ${place}` },
    { en: `Stop it, or ${other.en}.`, zh: `请停止该程序，或${other.zh}。` },
  );
}

const other: Text = {
  en: 'choose another port in settings.toml (port = 9528) or with --port',
  zh: '在 settings.toml（port = 9528）或 --port 中指定其他端口',
};

/** Returns null on success, otherwise the errno. */
function tryListen(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve(errnoOf(error) ?? 'unknown'));
    server.listen({ host, port, exclusive: true, ipv6Only: true }, () => server.close(() => resolve(null)));
  });
}
