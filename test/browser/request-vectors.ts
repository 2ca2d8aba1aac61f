import type { Vector } from './vector.ts';

const form = `'content-type': 'application/x-www-form-urlencoded'`;
const json = `'content-type': 'application/json'`;

/** Requests that a script of the page makes itself. */
export const requestVectors: readonly Vector[] = [
  { name: 'fetch-no-cors-get', fire: `fetch(aim.at('/api/runs'), { mode: 'no-cors' }).then(textOf)` },
  {
    name: 'fetch-no-cors-post',
    fire: `fetch(aim.at('/api/execute'), { method: 'POST', mode: 'no-cors', body: aim.body }).then(textOf)`,
  },
  {
    name: 'fetch-no-cors-text',
    fire: `fetch(aim.at('/api/stop'), { method: 'POST', mode: 'no-cors', body: '{"all":true}' }).then(textOf)`,
  },
  {
    name: 'fetch-no-cors-head',
    fire: `fetch(aim.at('/api/health'), { method: 'HEAD', mode: 'no-cors' }).then(textOf)`,
  },
  { name: 'fetch-cors-get', fire: `fetch(aim.at('/api/scripts')).then(textOf)` },
  {
    name: 'fetch-cors-post',
    fire: `fetch(aim.at('/api/execute'), { method: 'POST', body: aim.body }).then(textOf)`,
  },
  {
    name: 'fetch-cors-json',
    fire: `fetch(aim.at('/api/execute'), { method: 'POST', body: aim.json, headers: { ${json} } }).then(textOf)`,
  },
  {
    name: 'fetch-cors-header',
    fire: `fetch(aim.at('/api/scripts'), { headers: { 'x-hob-origin': 'cli' } }).then(textOf)`,
  },
  { name: 'fetch-cors-delete', fire: `fetch(aim.at('/api/runs'), { method: 'DELETE' }).then(textOf)` },
  {
    name: 'fetch-credentials',
    fire: `fetch(aim.at('/api/execute'), { method: 'POST', mode: 'no-cors', credentials: 'include', body: aim.body }).then(textOf)`,
  },
  {
    name: 'fetch-keepalive',
    fire: `fetch(aim.at('/api/execute'), { method: 'POST', mode: 'no-cors', keepalive: true, body: aim.body }).then(textOf)`,
  },
  {
    name: 'fetch-no-referrer',
    fire: `fetch(aim.at('/api/execute'), { method: 'POST', mode: 'no-cors', referrerPolicy: 'no-referrer', body: aim.body }).then(textOf)`,
  },
  {
    name: 'fetch-local-space',
    fire: `fetch(aim.at('/api/scripts'), { mode: 'no-cors', targetAddressSpace: 'loopback' }).then(textOf)`,
  },
  {
    name: 'fetch-redirect-302',
    fire: `fetch(aim.via(302, '/api/scripts'), { mode: 'no-cors' }).then(textOf)`,
  },
  {
    name: 'fetch-redirect-307',
    fire: `fetch(aim.via(307, '/api/execute'), { method: 'POST', mode: 'no-cors', body: aim.body }).then(textOf)`,
  },
  {
    name: 'fetch-redirect-308-cors',
    fire: `fetch(aim.via(308, '/api/execute'), { method: 'POST', body: aim.body }).then(textOf)`,
  },
  { name: 'xhr-get', fire: `ask('GET', aim.at('/api/scripts'))` },
  { name: 'xhr-post', fire: `ask('POST', aim.at('/api/execute'), aim.body)` },
  { name: 'xhr-json', fire: `ask('POST', aim.at('/api/notify'), '{"notify_type":"info"}', { ${json} })` },
  { name: 'beacon-text', fire: `void navigator.sendBeacon(aim.at('/api/stop'), '{"all":true}')` },
  { name: 'beacon-params', fire: `void navigator.sendBeacon(aim.at('/api/execute'), aim.body)` },
  {
    name: 'beacon-blob',
    fire: `void navigator.sendBeacon(aim.at('/api/execute'), new Blob([aim.body], { type: 'application/x-www-form-urlencoded' }))`,
  },
  {
    name: 'beacon-json',
    fire: `void navigator.sendBeacon(aim.at('/api/execute'), new Blob([aim.json], { type: 'application/json' }))`,
  },
  { name: 'beacon-multipart', fire: `void navigator.sendBeacon(aim.at('/api/execute'), new FormData())` },
  { name: 'event-source', fire: `listen(new EventSource(aim.at('/api/events')))` },
  {
    name: 'event-source-credentials',
    fire: `listen(new EventSource(aim.at('/api/events'), { withCredentials: true }))`,
  },
  { name: 'web-socket', fire: `listen(new WebSocket(aim.at('/api/events').replace('http', 'ws')))` },
  {
    name: 'worker-fetch',
    fire: `inWorker(async (url) => (await fetch(url, { mode: 'no-cors' })).text(), aim.at('/api/scripts'))`,
  },
  {
    name: 'worker-post',
    fire: `inWorker(async (url) => (await fetch(url, { method: 'POST', mode: 'no-cors', headers: { ${form} }, body: 'script_id=' + new URL(url).searchParams.get('script') })).text(), aim.at('/api/execute') + '&script=' + aim.scriptId)`,
  },
  { name: 'worker-import', fire: `inWorker((url) => importScripts(url), aim.at('/api/scripts'))` },
  { name: 'shared-worker-fetch', fire: `inSharedWorker(aim, aim.at('/api/execute'))` },
  {
    name: 'service-worker-fetch',
    place: 'neighbour-by-name',
    fire: `inServiceWorker(aim.at('/api/execute'))`,
  },
];
