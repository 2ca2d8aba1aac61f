import { createServer } from 'node:net';

import { inUrl, isLoopback } from '../../shared/addresses.ts';
import { errnoOf } from '../../shared/errors.ts';
import { type Finding, ok, problem } from '../finding.ts';
import type { Patient } from '../patient.ts';
import { askHealth } from './ask-health.ts';

/** Whether the service could listen where it is to, when it does not run. */
export async function checkPort({ settings, service }: Patient, signal: AbortSignal): Promise<Finding[]> {
  const { listen, port } = settings;
  // With 0 any free one will do.
  if (service !== null || port === 0) return [];
  for (const address of listen) {
    const errno = await tryListen(address, port);
    if (errno === null) continue;
    // A machine without IPv6 is still reachable by the other address.
    const isAbsent = errno === 'EADDRNOTAVAIL' || errno === 'EAFNOSUPPORT';
    if (isAbsent && address === '::1' && listen.length > 1) continue;
    return [await explain({ address, port, errno }, signal)];
  }
  return [ok('service', `Port ${port} is free`)];
}

async function explain(
  { address, port, errno }: { address: string; port: number; errno: string },
  signal: AbortSignal,
): Promise<Finding> {
  const place = `${inUrl(address)}:${port}`;
  const other = 'choose another port in settings.toml (port = 9528) or with --port';
  if (errno === 'EADDRNOTAVAIL')
    return problem('service', `This machine has no address ${address}`, 'Correct listen in settings.toml.');
  if (errno !== 'EADDRINUSE')
    return problem(
      'service',
      `Hob may not listen on ${place} (${errno})`,
      `Use another address, or ${other}.`,
    );
  const reached = isLoopback(address) ? inUrl(address) : '127.0.0.1';
  const health = await askHealth(`http://${reached}:${port}`, null, signal);
  if (health.kind === 'well' || health.kind === 'asks-for-token') {
    const version = health.kind === 'well' ? ` ${String(health.answer.version)}` : '';
    return problem(
      'service',
      `Another Hob${version} listens on ${place}: one with another home`,
      `Stop it (hob stop --home <its home>), or ${other}.`,
    );
  }
  return problem('service', `Another program listens on ${place}`, `Stop it, or ${other}.`);
}

/** Null when it worked, else why not. */
function tryListen(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve(errnoOf(error) ?? 'unknown'));
    server.listen({ host, port, exclusive: true, ipv6Only: true }, () => server.close(() => resolve(null)));
  });
}
