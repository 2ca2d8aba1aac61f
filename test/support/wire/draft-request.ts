import type { SeededRandom } from '../random.ts';
import type { House } from './door-oracle.ts';

/** A request before it is serialised. Every character of a text is one byte. */
export interface Draft {
  /** Bytes before the request line. */
  before: string;
  method: string;
  target: string;
  version: string;
  /** Whole lines without their line ends. */
  headers: string[];
  body: string;
  lineEnd: string;
}

const unknownId = '6b1c7a52-5f0e-4a53-9b34-d3f2f1f0a001';

const readTargets = [
  '/api/health',
  '/api/scripts',
  `/api/scripts/${unknownId}`,
  '/api/runs',
  '/api/runs?limit=3',
  `/api/runs/${unknownId}`,
  `/api/runs/${unknownId}/tree`,
  `/api/runs/${unknownId}/events`,
  '/api/stats',
  '/api/events',
  '/api/model/path?repo_id=nobody/nothing',
  '/metrics',
  '/r/nobody/api/health',
  '/r/api/health',
  '/',
  '/nowhere',
  '/api/execute',
];

const writes: { target: string; type: string; body: string }[] = [
  { target: '/api/notify', type: 'application/json', body: '{"notify_type":"info","message":"wire"}' },
  { target: '/api/notify', type: 'application/json', body: '{}' },
  { target: '/api/notify', type: 'text/plain', body: 'hello' },
  { target: '/api/execute', type: 'application/json', body: `{"script_id":"${unknownId}","sync":true}` },
  { target: '/api/execute', type: 'application/json; charset=utf-8', body: '{"script_id":' },
  { target: '/api/execute', type: 'application/x-www-form-urlencoded', body: `script_id=${unknownId}` },
  { target: '/api/execute', type: 'multipart/form-data; boundary=x', body: '--x--' },
  { target: '/api/link', type: 'application/json', body: `{"script_id":"${unknownId}"}` },
  { target: '/r/nobody/api/link', type: 'application/json', body: '{}' },
  { target: '/nowhere', type: 'application/json', body: '{}' },
];

/** A request that any program might send. It changes nothing on the service. */
export function draftRequest(random: SeededRandom, house: House): Draft {
  const isWrite = random.next() < 0.5;
  const write = random.pick(writes);
  const headers = [`Host: ${random.pick(house.hosts)}`];
  if (isWrite) headers.push(`Content-Type: ${write.type}`, `Content-Length: ${write.body.length}`);
  for (const line of ['Accept: */*', 'User-Agent: wire', 'Accept-Language: en', 'Connection: keep-alive'])
    if (random.next() < 0.3) headers.splice(random.between(0, headers.length), 0, line);
  return {
    before: '',
    method: isWrite ? 'POST' : random.pick(['GET', 'GET', 'GET', 'HEAD']),
    target: isWrite ? write.target : random.pick(readTargets),
    version: random.next() < 0.9 ? 'HTTP/1.1' : 'HTTP/1.0',
    headers,
    body: isWrite ? write.body : '',
    lineEnd: '\r\n',
  };
}

export function writeDown({ before, method, target, version, headers, body, lineEnd }: Draft): Buffer {
  const line = [method, target, version].filter((part, index) => index < 2 || part !== '').join(' ');
  return Buffer.from(`${before}${[line, ...headers, '', ''].join(lineEnd)}${body}`, 'latin1');
}
