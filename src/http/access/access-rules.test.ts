import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { ErrorCode } from '../../shared/errors.ts';
import { statusOf } from '../error-answers.ts';
import { type AccessPolicy, checkAccess, type RequestHead } from './access-rules.ts';

const host = '127.0.0.1:9527';
const policy: AccessPolicy = {
  hosts: new Set([host, 'localhost:9527', '[::1]:9527', 'hob.local:80']),
  trustedOrigins: new Set(['http://localhost:3000', 'https://desk.example']),
};

interface Request {
  method?: string;
  target?: string;
  httpVersion?: string;
  headers?: readonly (readonly [string, string])[];
}

function head({
  method = 'POST',
  target = '/api/execute',
  httpVersion = '1.1',
  headers,
}: Request): RequestHead {
  return { method, target, httpVersion, rawHeaders: (headers ?? [['Host', host]]).flat() };
}

function refusalOf(request: Request): { code: ErrorCode; status: number } | null {
  const refused = checkAccess(head(request), policy);
  return refused && { code: refused.code, status: statusOf(refused.code) };
}

describe('a request from a program', () => {
  it.each([
    '127.0.0.1:9527',
    'localhost:9527',
    '[::1]:9527',
    'hob.local:80',
    'LocalHost:9527',
    'LOCALHOST:9527',
  ])('is allowed with the Host %s', (name) => {
    expect(refusalOf({ headers: [['Host', name]] })).toBeNull();
  });

  it.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])('is allowed with the method %s', (method) => {
    expect(refusalOf({ method })).toBeNull();
  });

  it('is allowed over HTTP/1.0', () => {
    expect(refusalOf({ httpVersion: '1.0' })).toBeNull();
  });

  it('is allowed with any Sec-Fetch-Mode, Referer and User-Agent', () => {
    const headers = [
      ['Host', host],
      ['sec-fetch-mode', 'cors'],
      ['Referer', 'http://evil.test/'],
      ['User-Agent', 'Mozilla/5.0'],
    ] as const;
    expect(refusalOf({ headers })).toBeNull();
  });

  it.each(['/', '/?', '/r/token/api/link', '/api/model/path?repo_id=a/b', '/a//b', '/%23', '/\\evil'])(
    'is allowed with the target %s',
    (target) => {
      expect(refusalOf({ target })).toBeNull();
    },
  );
});

describe('rule 2: HTTP/1.0 or 1.1, and a path', () => {
  it.each(['0.9', '1.2', '2.0', '3', '', '1.1 ', '1'])('refuses HTTP/%s', (httpVersion) => {
    expect(refusalOf({ httpVersion })).toEqual({ code: 'door-protocol', status: 400 });
  });

  it.each([
    '',
    '*',
    'api/execute',
    'http://127.0.0.1:9527/api/execute',
    '//evil.test/api',
    '///api/execute',
    '/api/execute#top',
    '/#',
    '/a?b#c',
    '127.0.0.1:9527',
    ' /api/execute',
  ])('refuses the target %j', (target) => {
    expect(refusalOf({ target })).toEqual({ code: 'door-protocol', status: 400 });
  });
});

describe('rule 3: exactly one Host header, with an allowed host', () => {
  it('refuses a request without a Host header', () => {
    expect(refusalOf({ headers: [['Accept', '*/*']] })).toEqual({ code: 'door-host-missing', status: 400 });
  });

  it.each([
    [host, host],
    [host, 'evil.test'],
    ['evil.test', host],
  ])('refuses two Host headers: %s and %s', (first, second) => {
    const headers = [
      ['Host', first],
      ['hOsT', second],
    ] as const;
    expect(refusalOf({ headers })).toEqual({ code: 'door-host-missing', status: 400 });
  });

  it.each([
    '',
    '127.0.0.1',
    'localhost',
    '127.0.0.1:80',
    '127.0.0.1:95270',
    '127.0.0.1:09527',
    '0.0.0.0:9527',
    '[::ffff:127.0.0.1]:9527',
    '[::]:9527',
    '[0:0:0:0:0:0:0:1]:9527',
    '2130706433:9527',
    '0x7f.1:9527',
    '127.1:9527',
    '127.0.0.2:9527',
    'localhost.:9527',
    'foo.localhost:9527',
    'localhost.evil.test:9527',
    'evil.test:9527',
    'rebind.test:9527',
    'evil.test:9527@127.0.0.1:9527',
    'user@127.0.0.1:9527',
    '127.0.0.1:9527, evil.test',
    '127.0.0.1:9527/',
    ' 127.0.0.1:9527',
    'xhob.local:80',
    'hob.local:8080',
    'ｌocalhost:9527',
  ])('refuses the host %j', (name) => {
    expect(refusalOf({ headers: [['Host', name]] })).toEqual({ code: 'door-host', status: 403 });
  });
});

describe('rule 3, where Hob listens on all addresses of the machine', () => {
  const reached = ['192.168.1.5:9527'];
  const come = (name: string) =>
    checkAccess({ ...head({ headers: [['Host', name]] }), reached }, policy)?.code ?? null;

  it('allows the local address of the connection, and no other', () => {
    expect(come('192.168.1.5:9527')).toBeNull();
    expect(come('localhost:9527')).toBeNull();
    for (const name of [
      '192.168.1.6:9527',
      '192.168.1.5',
      'evil.test:9527',
      '192.168.1.5.evil.test:9527',
      '',
    ])
      expect([name, come(name)]).toEqual([name, 'door-host']);
  });
});

describe('rule 4: no page of another origin', () => {
  it.each([host, 'localhost:9527', '[::1]:9527'])('allows a page that Hob serves at %s', (name) => {
    const headers = [
      ['Host', name],
      ['Origin', `http://${name}`],
      ['Sec-Fetch-Site', 'same-origin'],
    ] as const;
    expect(refusalOf({ headers })).toBeNull();
  });

  it.each(['http://localhost:3000', 'https://desk.example'])(
    'allows a page of the trusted origin %s',
    (origin) => {
      const headers = [
        ['Host', host],
        ['Origin', origin],
      ] as const;
      expect(refusalOf({ headers })).toBeNull();
    },
  );

  it.each([
    '',
    'null',
    'http://localhost:9527',
    'https://127.0.0.1:9527',
    'HTTP://127.0.0.1:9527',
    'http://127.0.0.1:9527/',
    'http://127.0.0.1:9527.evil.test',
    'http://127.0.0.1',
    '127.0.0.1:9527',
    'http://evil.test',
    'http://localhost:3000/',
    'http://localhost:30000',
    'http://LOCALHOST:3000',
    'file://',
    'chrome-extension://abc',
    'http://127.0.0.1:9527 http://evil.test',
  ])('refuses the origin %j', (origin) => {
    const headers = [
      ['Host', host],
      ['Origin', origin],
    ] as const;
    expect(refusalOf({ headers })).toEqual({ code: 'door-origin', status: 403 });
  });

  it('refuses a rebound DNS name even though its Origin equals its Host', () => {
    const headers = [
      ['Host', 'rebind.test:9527'],
      ['Origin', 'http://rebind.test:9527'],
    ] as const;
    expect(refusalOf({ headers })).toEqual({ code: 'door-host', status: 403 });
  });

  it.each([
    ['http://127.0.0.1:9527', 'http://127.0.0.1:9527'],
    ['http://127.0.0.1:9527', 'http://evil.test'],
    ['http://localhost:3000', 'http://evil.test'],
    ['http://localhost:3000', 'http://localhost:3000'],
  ])('refuses two origins: %s and %s', (first, second) => {
    const headers = [
      ['Host', host],
      ['Origin', first],
      ['origin', second],
    ] as const;
    expect(refusalOf({ headers })).toEqual({ code: 'door-origin', status: 403 });
  });
});

describe('rule 5: Sec-Fetch-Site must show that no other site caused the request', () => {
  const from = (method: string, ...sites: string[]) =>
    refusalOf({
      method,
      headers: [['Host', host], ...sites.map((site) => ['Sec-Fetch-Site', site] as const)],
    });

  it.each(['GET', 'HEAD', 'POST', 'DELETE'])('allows same-origin with %s', (method) => {
    expect(from(method, 'same-origin')).toBeNull();
  });

  it.each(['GET', 'HEAD'])('allows a typed address with %s', (method) => {
    expect(from(method, 'none')).toBeNull();
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'get', 'QUERY'])('refuses a typed address with %s', (method) => {
    expect(from(method, 'none')).toEqual({ code: 'door-fetch-site', status: 403 });
  });

  it.each(['same-site', 'cross-site', '', 'Same-Origin', 'NONE', 'same-origin,cross-site', 'anything'])(
    'refuses %j, even for GET',
    (site) => {
      for (const method of ['GET', 'POST'])
        expect(from(method, site)).toEqual({ code: 'door-fetch-site', status: 403 });
    },
  );

  it('refuses a request when one of two headers is not allowed', () => {
    expect(from('GET', 'same-origin', 'cross-site')).toEqual({ code: 'door-fetch-site', status: 403 });
    expect(from('GET', 'cross-site', 'same-origin')).toEqual({ code: 'door-fetch-site', status: 403 });
  });
});

describe('rule 6: no cross-origin preflight', () => {
  it('refuses every OPTIONS request', () => {
    expect(refusalOf({ method: 'OPTIONS' })).toEqual({ code: 'door-method', status: 403 });
    const headers = [
      ['Host', host],
      ['Origin', 'http://localhost:3000'],
    ] as const;
    expect(refusalOf({ method: 'OPTIONS', headers })).toEqual({ code: 'door-method', status: 403 });
  });

  it('refuses OPTIONS *', () => {
    expect(refusalOf({ method: 'OPTIONS', target: '*' })?.status).toBe(400);
  });
});

describe('rule 13: a refusal explains itself', () => {
  const refusals: [string, Request, RegExp, RegExp | null][] = [
    ['protocol', { httpVersion: '2.0' }, /rule 2/, null],
    ['missing host', { headers: [] }, /rule 3/, null],
    ['foreign host', { headers: [['Host', 'evil.test']] }, /rule 3/, /extra_hosts/],
    [
      'foreign origin',
      {
        headers: [
          ['Host', host],
          ['Origin', 'http://evil.test'],
        ],
      },
      /rule 4/,
      /trusted_origins/,
    ],
    [
      'page without an origin',
      {
        headers: [
          ['Host', host],
          ['Origin', 'null'],
        ],
      },
      /rule 4\)\. No setting changes this/,
      null,
    ],
    [
      'typed write',
      {
        headers: [
          ['Host', host],
          ['Sec-Fetch-Site', 'none'],
        ],
      },
      /Only GET and HEAD are allowed.*rule 5/,
      null,
    ],
    [
      'other site',
      {
        headers: [
          ['Host', host],
          ['Sec-Fetch-Site', 'cross-site'],
        ],
      },
      /rule 5/,
      /trusted_origins/,
    ],
    ['preflight', { method: 'OPTIONS' }, /rule 6/, null],
  ];

  it.each(refusals)(
    'names the rule and, if there is one, the setting: %s',
    (_name, request, rule, setting) => {
      const refused = checkAccess(head(request), policy);
      expect(refused?.text.en).toMatch(rule);
      expect(refused?.text.zh).toMatch(/规则 \d/);
      if (setting !== null) {
        expect(refused?.text.en).toMatch(setting);
        expect(refused?.text.zh).toMatch(setting);
      }
    },
  );

  it('quotes only a short part of a long header', () => {
    const refused = checkAccess(head({ headers: [['Host', 'x'.repeat(10_000)]] }), policy);
    expect(refused?.text.en.length).toBeLessThan(300);
  });
});

describe('rule 12: the access rules never throw', () => {
  it('returns a verdict for arbitrary input', () => {
    const anyText = fc.uint16Array().map((units) => String.fromCharCode(...units));
    const anyKnock = fc.record({
      method: anyText,
      target: anyText,
      httpVersion: fc.string(),
      rawHeaders: fc.array(anyText),
    });
    fc.assert(
      fc.property(anyKnock, (input) => {
        const refused = checkAccess(input, policy);
        if (refused !== null) expect([400, 403]).toContain(statusOf(refused.code));
      }),
      { numRuns: 500 },
    );
  });

  it('refuses a request that makes the check throw', () => {
    const broken: RequestHead = {
      method: 'GET',
      httpVersion: '1.1',
      get target(): string {
        throw new Error('broken');
      },
      rawHeaders: [],
    };
    expect(checkAccess(broken, policy)?.code).toBe('door-protocol');
  });
});

/** A second implementation of the rules, written from their text. Returns every rule that a request breaks. */
function brokenRules({ method, target, httpVersion, rawHeaders }: RequestHead): Set<ErrorCode> {
  const valuesOf = (name: string) =>
    rawHeaders.filter((_value, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
  const hosts = valuesOf('host');
  const origins = valuesOf('origin');
  const sites = valuesOf('sec-fetch-site');
  const [only = ''] = hosts;

  const broken = new Set<ErrorCode>();
  if (!/^1\.[01]$/.test(httpVersion) || !/^\/([^/#][^#]*)?$/s.test(target)) broken.add('door-protocol');
  if (hosts.length !== 1) broken.add('door-host-missing');
  else if (![...policy.hosts].some((ours) => ours === only.toLowerCase())) broken.add('door-host');
  const [origin] = origins;
  const originFits =
    origin === undefined || origin === `http://${only.toLowerCase()}` || policy.trustedOrigins.has(origin);
  if (origins.length > 1 || !originFits) broken.add('door-origin');
  const siteFits = (site: string) =>
    site === 'same-origin' || (site === 'none' && ['GET', 'HEAD'].includes(method));
  if (sites.some((site) => !siteFits(site))) broken.add('door-fetch-site');
  if (method === 'OPTIONS') broken.add('door-method');
  return broken;
}

describe('the access rules as a whole', () => {
  const header = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.tuple(
        fc.constantFrom('Host', 'host', 'HOST'),
        fc.constantFrom(host, host, 'LOCALHOST:9527', 'evil.test', ''),
      ),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(
        fc.constantFrom('Origin', 'origin'),
        fc.constantFrom(
          `http://${host}`,
          'http://localhost:9527',
          'null',
          'http://evil.test',
          'http://localhost:3000',
        ),
      ),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(
        fc.constantFrom('Sec-Fetch-Site', 'sec-fetch-site'),
        fc.constantFrom('same-origin', 'none', 'same-site', 'cross-site'),
      ),
    },
    { weight: 2, arbitrary: fc.tuple(fc.string(), fc.string()) },
  );
  const someKnock = fc.record({
    method: fc.constantFrom('GET', 'HEAD', 'POST', 'POST', 'DELETE', 'OPTIONS'),
    target: fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom('/', '/api/execute', '/r/abc/api/link?x=1') },
      { weight: 1, arbitrary: fc.string() },
      { weight: 1, arbitrary: fc.string().map((text) => `/${text}`) },
    ),
    httpVersion: fc.constantFrom('1.1', '1.1', '1.1', '1.0', '2.0'),
    rawHeaders: fc.array(header, { maxLength: 5 }).map((headers) => headers.flat()),
  });

  it('refuses exactly the requests that break a rule, and names a broken rule', () => {
    let admitted = 0;
    fc.assert(
      fc.property(someKnock, (input) => {
        // The text of the rules does not define Sec-Fetch-Site for trusted origins.
        const fromTrusted = input.rawHeaders.some((text) => policy.trustedOrigins.has(text));
        fc.pre(!fromTrusted || !input.rawHeaders.some((text) => /site|none/.test(text)));
        const broken = brokenRules(input);
        const refused = checkAccess(input, policy);
        if (broken.size === 0) {
          admitted += 1;
          expect(refused).toBeNull();
        } else {
          expect(refused === null ? null : [...broken]).toContain(refused?.code);
        }
      }),
      { numRuns: 2500 },
    );
    // Otherwise the property would say nothing about allowed requests.
    expect(admitted).toBeGreaterThan(50);
  });
});
