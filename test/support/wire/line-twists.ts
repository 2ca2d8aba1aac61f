import type { SeededRandom } from '../random.ts';
import type { House } from './door-oracle.ts';
import type { Twist } from './edit-draft.ts';

const asTarget = (choose: (target: string, random: SeededRandom, house: House) => string): Twist => {
  return (draft, random, house) => {
    draft.target = choose(draft.target, random, house);
  };
};

export const methodTwists: Twist[] = [
  (draft, random) => {
    const methods = [
      'OPTIONS',
      'CONNECT',
      'TRACE',
      'DELETE',
      'PUT',
      'PATCH',
      'HEAD',
      'PROPFIND',
      'QUERY',
      'PRI',
    ];
    draft.method = random.pick(methods);
  },
  (draft) => {
    draft.method = 'OPTIONS';
  },
  (draft, random) => {
    draft.method = random.pick([
      'get',
      'Post',
      'FROB',
      'G\0ET',
      'GE T',
      '',
      'X'.repeat(9000),
      'M-SEARCH',
      'SOURCE',
    ]);
  },
];

export const targetTwists: Twist[] = [
  asTarget((target, random, house) => {
    const host = random.pick(house.hosts);
    return (
      random.pick([`http://${host}`, 'HTTP://evil.test', `https://${host}`, `http://u:p@${host}`]) + target
    );
  }),
  asTarget((target, random) => random.pick(['/', '//', '/.', '/..', '\\', '/\\']) + target),
  asTarget((target, random) => target + random.pick(['#', '#top', '?a#b', '/#/', '%23'])),
  asTarget((_target, random) =>
    random.pick(['*', 'evil.test:80', '127.0.0.1', 'api/health', '?', '#', '%2fapi', '-']),
  ),
  asTarget(
    (target, random) => target + random.pick(['%', '%zz', '%00', '%ff', '%2e%2e', '%E4%BD%A0', '/%2f', '?%']),
  ),
  asTarget((target, random) => {
    const at = random.between(0, target.length);
    return (
      target.slice(0, at) +
      random.pick(['\0', ' ', '\t', '\x7f', '\xe4', '\xff', '\x0b', '|', '{']) +
      target.slice(at)
    );
  }),
  asTarget(
    (target, random) =>
      random.pick(['/r/x', '/r/', '/r', '/r/x/r/y', '/r/%', '/R/x', `/r/${'t'.repeat(300)}`]) + target,
  ),
  asTarget((target, random) => `${target}?${'q'.repeat(random.pick([10, 3000, 40_000]))}`),
];

const versions = [
  'HTTP/0.9',
  'HTTP/1.2',
  'HTTP/2.0',
  'HTTP/3.0',
  'HTTP/1.10',
  'HTTP/11',
  'http/1.1',
  'HTTP/1',
  'HTTP/',
  '',
];
export const versionTwists: Twist[] = [
  (draft, random) => {
    draft.version = random.pick([
      ...versions,
      'HTTP/1,1',
      'HTTPS/1.1',
      'RTSP/1.0',
      'HTTP/1.1 x',
      ' HTTP/1.1',
      'HTTP/1.1 ',
    ]);
  },
  (draft) => {
    draft.version = 'HTTP/1.0';
  },
];
