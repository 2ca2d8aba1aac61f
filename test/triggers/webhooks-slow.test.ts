import { connect } from 'node:net';

import { expect, it, onTestFinished } from 'vitest';

import { startHob, tempFolder } from '../support/hob.ts';
import { deliver, exchange, githubHeaders, head } from '../support/hook-sender.ts';
import { writeScript } from '../support/scripts.ts';
import { until } from '../support/until.ts';

const secret = 'correct horse';

it('slow, unfinished and idle senders start no run, and do not keep out others', async () => {
  const folder = await tempFolder();
  await writeScript(folder, 'receiver');
  const hob = await startHob({ scripts: [folder], settings: 'hooks_listen = "127.0.0.1:0"\n' });
  await hob.send('PUT', '/api/secrets/test', JSON.stringify({ value: secret }));
  const fields = { script: 'receiver', kind: 'webhook', secret: 'test', signature: 'github' };
  await hob.send('PUT', '/api/triggers/push', JSON.stringify(fields));
  const address = await until('the listener is open', async () => {
    const { body } = await hob.get('/api/triggers/push');
    return typeof body.address === 'string' ? body.address : false;
  });
  const reasons = async () =>
    ((await hob.get('/api/triggers/push/slots?limit=500')).body.items as { reason: string }[]).map(
      ({ reason }) => reason,
    );
  const post = head('POST', '/hook/push', { ...githubHeaders(secret, 'abcdef'), 'Content-Length': 6 });

  const slowHeader = exchange(address, [post.slice(0, -2)]);
  const slowBody = exchange(address, [post, 'abc']);
  // Ended by the sender in the middle of the body.
  expect((await exchange(address, [post, 'abc'], (socket) => socket.end())).status).toBe(400);
  await until('the delivery that was cut short is recorded', async () =>
    (await reasons()).includes('malformed'),
  );
  expect((await slowHeader).status).toBe(408);
  expect((await slowBody).status).toBe(408);
  expect(await reasons()).toEqual(['malformed', 'malformed']);

  // More than the listener keeps open.
  const { hostname, port } = new URL(address);
  for (let n = 0; n < 300; n++) {
    const socket = connect(Number(port), hostname).on('error', () => {});
    socket.write('POST /hook/push HTTP/1.1\r\n');
    onTestFinished(() => {
      socket.destroy();
    });
  }
  expect(await deliver(address, githubHeaders(secret, 'x'), 'x')).toMatchObject({ status: 202 });
  const { items } = (await hob.get('/api/runs')).body as { items: unknown[] };
  expect(items).toHaveLength(1);
});
