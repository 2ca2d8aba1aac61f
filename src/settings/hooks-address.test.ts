import { expect, it } from 'vitest';

import { parseHooksAddress } from './hooks-address.ts';

it.each([
  ['127.0.0.1:8790', { host: '127.0.0.1', port: 8790 }],
  ['0.0.0.0:8790', { host: '0.0.0.0', port: 8790 }],
  ['[::1]:8790', { host: '::1', port: 8790 }],
  ['[::]:1', { host: '::', port: 1 }],
  ['localhost:8790', { host: '127.0.0.1', port: 8790 }],
  ['8790', { host: '127.0.0.1', port: 8790 }],
  ['0', { host: '127.0.0.1', port: 0 }],
])('the address for webhooks may be %s', (text, address) => {
  expect(parseHooksAddress(text)).toEqual(address);
});

it.each([
  '',
  '127.0.0.1',
  ':8790',
  '::1:8790',
  '[::1]',
  '[127.0.0.1]:8790',
  '[fe80::1%eth0]:8790',
  '127.0.0.1:65536',
  '127.0.0.1:x',
  '300.0.0.1:8790',
  'hob.local:8790',
  'http://127.0.0.1:8790',
  '127.0.0.1:8790/hook',
  ' 127.0.0.1:8790',
  '127.0.0.1:8790\n',
])('the address for webhooks cannot be %j', (text) => {
  expect(parseHooksAddress(text)).toBeNull();
});
