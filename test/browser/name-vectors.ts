import type { Place, Vector } from './vector.ts';

/** Other spellings of the target address, and pages from this machine. */
export const nameVectors: readonly Vector[] = [
  ...spellings('name-zero', '0.0.0.0'),
  ...spellings('name-mapped', '[::ffff:127.0.0.1]'),
  ...spellings('name-six', '[::1]'),
  ...spellings('name-decimal', '2130706433'),
  ...spellings('name-hex', '0x7f.1'),
  ...spellings('name-localhost', 'localhost'),
  ...spellings('name-sub', 'hob.localhost'),
  ...spellings('name-dot', 'localhost.'),
  ...spellings('name-rebound', 'rebind.test'),
  {
    name: 'name-zero-socket',
    fire: `listen(new WebSocket(aim.at('/api/events', '0.0.0.0').replace('http', 'ws')))`,
  },
  { name: 'name-zero-image', fire: `element('img', { src: aim.at('/api/scripts', '0.0.0.0') })` },
  {
    name: 'name-zero-form',
    fire: `submitIntoFrame({ action: aim.at('/api/execute', '0.0.0.0') }, aim.fields)`,
  },
  ...nearby('neighbour', 'neighbour'),
  ...nearby('neighbour-by-name', 'neighbour-by-name'),
  ...nearby('file', 'file'),
  ...nearby('rebound', 'rebound'),
  {
    name: 'neighbour-same-name-get',
    place: 'neighbour-by-name',
    fire: `fetch(aim.at('/api/scripts', 'localhost'), { mode: 'no-cors', credentials: 'include' }).then(textOf)`,
  },
  {
    name: 'rebound-json',
    place: 'rebound',
    fire: `fetch(aim.at('/api/execute'), { method: 'POST', body: aim.json, headers: { 'content-type': 'application/json' } }).then(textOf)`,
  },
  { name: 'rebound-page', place: 'rebound', fire: `document.body.innerText` },
  { name: 'rebound-frame', place: 'rebound', fire: `element('iframe', { src: aim.at('/api/scripts') })` },
  { name: 'rebound-events', place: 'rebound', fire: `listen(new EventSource(aim.at('/api/events')))` },
];

function spellings(name: string, host: string): Vector[] {
  const at = (path: string) => `aim.at('${path}', '${host}')`;
  return [
    { name: `${name}-get`, fire: `fetch(${at('/api/scripts')}, { mode: 'no-cors' }).then(textOf)` },
    {
      name: `${name}-post`,
      fire: `fetch(${at('/api/execute')}, { method: 'POST', mode: 'no-cors', body: aim.body }).then(textOf)`,
    },
  ];
}

function nearby(name: string, place: Place): Vector[] {
  return [
    { name: `${name}-get`, place, fire: `fetch(aim.at('/api/scripts')).then(textOf)` },
    {
      name: `${name}-post`,
      place,
      fire: `fetch(aim.at('/api/execute'), { method: 'POST', mode: 'no-cors', body: aim.body }).then(textOf)`,
    },
    { name: `${name}-image`, place, fire: `element('img', { src: aim.at('/api/scripts') })` },
    { name: `${name}-form`, place, fire: `submitIntoFrame({ action: aim.at('/api/execute') }, aim.fields)` },
    {
      name: `${name}-socket`,
      place,
      fire: `listen(new WebSocket(aim.at('/api/events').replace('http', 'ws')))`,
    },
  ];
}
