import type { RequestHead } from '../../../src/http/access/access-rules.ts';

/** A defect in access control: it ignores or misreads something in a request. */
export type Blindness = (knock: RequestHead) => RequestHead;

const withHeaders =
  (see: (name: string, value: string, index: number) => [name: string, value: string] | null): Blindness =>
  (knock) => {
    const rawHeaders: string[] = [];
    for (let index = 0; index + 1 < knock.rawHeaders.length; index += 2) {
      const [name = '', value = ''] = knock.rawHeaders.slice(index, index + 2);
      rawHeaders.push(...(see(name.toLowerCase(), value, index) ?? []));
    }
    return { ...knock, rawHeaders };
  };

const firstHostOnly: Blindness = (knock) => {
  let hosts = 0;
  return withHeaders((name, value) => (name === 'host' && hosts++ > 0 ? null : [name, value]))(knock);
};

const valuesOf = (wanted: string, see: (value: string) => string) =>
  withHeaders((name, value) => [name, name === wanted ? see(value) : value]);

/** Each of them makes access control accept a request that it must refuse. */
export const blindnesses: [what: string, blindness: Blindness][] = [
  ['a second Host', firstHostOnly],
  [
    'the text before localhost in a Host',
    valuesOf('host', (host) => host.replace(/^.*localhost/i, 'localhost')),
  ],
  ['a dot at the end of a Host', valuesOf('host', (host) => host.replace('.:', ':'))],
  ['the text after a comma in a Host', valuesOf('host', (host) => host.replace(/,.*/, ''))],
  ['any Origin', withHeaders((name, value) => (name === 'origin' ? null : [name, value]))],
  [
    'an Origin of null',
    withHeaders((name, value) => (name === 'origin' && value === 'null' ? null : [name, value])),
  ],
  ['the case of an Origin', valuesOf('origin', (origin) => origin.toLowerCase())],
  ['a slash at the end of an Origin', valuesOf('origin', (origin) => origin.replace(/\/$/, ''))],
  ['https in an Origin', valuesOf('origin', (origin) => origin.replace('https:', 'http:'))],
  ['any Sec-Fetch-Site', withHeaders((name, value) => (name === 'sec-fetch-site' ? null : [name, value]))],
  ['same-site', valuesOf('sec-fetch-site', (site) => site.replace('same-site', 'same-origin'))],
  ['the case of Sec-Fetch-Site', valuesOf('sec-fetch-site', (site) => site.toLowerCase())],
  ['that a POST writes', (knock) => ({ ...knock, method: knock.method.replace('POST', 'GET') })],
  ['OPTIONS', (knock) => ({ ...knock, method: knock.method.replace('OPTIONS', 'GET') })],
  ['a fragment', (knock) => ({ ...knock, target: knock.target.replaceAll('#', '') })],
  ['two slashes', (knock) => ({ ...knock, target: knock.target.replace(/^\/+/, '/') })],
  [
    'an absolute URL as the target',
    (knock) => ({ ...knock, target: knock.target.replace(/^https?:\/\/[^/]*/i, '') }),
  ],
  ['the version', (knock) => ({ ...knock, httpVersion: '1.1' })],
];
