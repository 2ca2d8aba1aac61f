import { add, isNamed, oddCase, portOf, type Twist, without } from './edit-draft.ts';

export const hostTwists: Twist[] = [
  (draft, random, house) => {
    without(draft, 'host');
    const port = portOf(house);
    const strangers = [
      'evil.test',
      '0.0.0.0',
      '127.0.0.2',
      '2130706433',
      '[::ffff:127.0.0.1]',
      '[0:0:0:0:0:0:0:1]',
      '::1',
    ];
    const lookalikes = [
      'localhost.',
      'a.localhost',
      'localhost.evil.test',
      'xlocalhost',
      'u@localhost',
      '127.1',
      '[::1%25lo]',
    ];
    add(draft, random, `Host: ${random.pick([...strangers, ...lookalikes])}:${port}`);
  },
  (draft, random, house) => {
    without(draft, 'host');
    const host = random.pick(house.hosts);
    const name = host.slice(0, host.lastIndexOf(':'));
    const others = [
      '',
      name,
      `${name}:`,
      `${name}:${portOf(house) + 1}`,
      `${name}:0${portOf(house)}`,
      `${host}/`,
      `http://${host}`,
    ];
    add(
      draft,
      random,
      `Host: ${random.pick([...others, `${host}, evil.test`, `evil.test, ${host}`, `${host} ${host}`, `${host}\xa0`])}`,
    );
  },
  (draft) => without(draft, 'host'),
  (draft, random, house) => {
    const second = random.pick([...house.hosts, 'evil.test', '']);
    add(draft, random, `${random.pick(['Host', 'host', 'HOST', 'hOsT'])}: ${second}`);
  },
  (draft, random, house) => {
    without(draft, 'host');
    add(draft, random, `${oddCase('host', random)}:${oddCase(random.pick(house.hosts), random)}`);
  },
  (draft, random, house) => {
    without(draft, 'host');
    const blanks = () => random.pick(['', ' ', '\t', ' \t  ']);
    add(draft, random, `Host:${blanks()}${random.pick(house.hosts)}${blanks()}`);
  },
  (draft, random, house) => {
    without(draft, 'host');
    const host = random.pick(house.hosts);
    const folded = [
      `Host:\r\n ${host}`,
      `Host: ${host}\r\n evil.test`,
      `Host: evil.test\r\n\t${host}`,
      `Host: ${host}\r\n `,
    ];
    add(draft, random, random.pick(folded));
  },
  (draft, random, house) => {
    without(draft, 'host');
    const host = random.pick(house.hosts);
    add(
      draft,
      random,
      random.pick([
        `Host : ${host}`,
        ` Host: ${host}`,
        `Ho st: ${host}`,
        `Host\0: ${host}`,
        `Host: ${host}\0`,
        `Host ${host}`,
      ]),
    );
  },
];

export const originTwists: Twist[] = [
  (draft, random, house) => add(draft, random, `Origin: http://${random.pick(house.hosts)}`),
  (draft, random) => {
    const own =
      draft.headers
        .find((line) => isNamed(line, 'host'))
        ?.slice('host:'.length)
        .trim() ?? '';
    const spelled = [
      `http://${own}`,
      `http://${own}`,
      `http://${own}`,
      `https://${own}`,
      `HTTP://${own}`,
      `http://${own}/`,
      own,
    ];
    add(
      draft,
      random,
      `${oddCase('origin', random)}: ${random.pick([...spelled, `http://${oddCase(own, random)}`])}`,
    );
  },
  (draft, random, house) => {
    const trusted = random.pick(house.trustedOrigins);
    const spelled = [
      trusted,
      trusted,
      trusted,
      trusted.toUpperCase(),
      `${trusted}/`,
      `${trusted}0`,
      `${trusted} ${trusted}`,
    ];
    add(draft, random, `Origin: ${random.pick(spelled)}`);
  },
  (draft, random) => {
    const others = [
      'null',
      'NULL',
      '',
      'http://evil.test',
      'file://',
      'http://127.0.0.1',
      'http://localhost:1',
      '*',
    ];
    add(draft, random, `Origin: ${random.pick(others)}`);
  },
  (draft, random, house) => {
    const pick = () =>
      `Origin: ${random.pick([...house.trustedOrigins, `http://${house.hosts[0]}`, 'null'])}`;
    add(draft, random, pick(), pick());
  },
];

const sites = ['same-origin', 'none', 'same-site', 'cross-site'];
export const fetchSiteTwists: Twist[] = [
  (draft, random) => add(draft, random, `Sec-Fetch-Site: ${random.pick(sites)}`),
  (draft, random) => {
    const odd = [
      oddCase(random.pick(sites), random),
      '',
      'none, same-origin',
      'same-origin;',
      ' \tsame-origin\t',
      'x',
    ];
    add(draft, random, `${oddCase('sec-fetch-site', random)}: ${random.pick(odd)}`);
  },
  (draft, random) =>
    add(draft, random, `Sec-Fetch-Site: ${random.pick(sites)}`, `sec-fetch-site: ${random.pick(sites)}`),
];
