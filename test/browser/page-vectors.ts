import type { Vector } from './vector.ts';

/** Requests caused by markup: resources, forms and links. */
export const pageVectors: readonly Vector[] = [
  { name: 'image', fire: `element('img', { src: aim.at('/api/scripts') })` },
  { name: 'image-set', fire: `element('img', { srcset: aim.at('/api/scripts') + ' 1x' })` },
  {
    name: 'image-cors',
    fire: `element('img', { src: aim.at('/api/scripts'), crossorigin: 'use-credentials' })`,
  },
  {
    name: 'image-no-referrer',
    fire: `element('img', { src: aim.at('/api/scripts'), referrerpolicy: 'no-referrer' })`,
  },
  { name: 'image-redirect-302', fire: `element('img', { src: aim.via(302, '/api/runs') })` },
  { name: 'image-input', fire: `element('input', { type: 'image', src: aim.at('/api/scripts') })` },
  { name: 'style-image', fire: `style('body { background-image: url("' + aim.at('/api/scripts') + '") }')` },
  { name: 'style-import', fire: `style('@import url("' + aim.at('/api/scripts') + '")')` },
  { name: 'font', fire: `new FontFace('stolen', 'url("' + aim.at('/api/scripts') + '")').load()` },
  { name: 'script', fire: `element('script', { src: aim.at('/api/scripts') })` },
  { name: 'script-module', fire: `element('script', { type: 'module', src: aim.at('/api/scripts') })` },
  { name: 'script-import', fire: `import(aim.at('/api/scripts'))` },
  { name: 'stylesheet', fire: `element('link', { rel: 'stylesheet', href: aim.at('/api/scripts') })` },
  { name: 'prefetch', fire: `element('link', { rel: 'prefetch', href: aim.at('/api/scripts') })` },
  { name: 'preload', fire: `element('link', { rel: 'preload', as: 'image', href: aim.at('/api/runs') })` },
  { name: 'modulepreload', fire: `element('link', { rel: 'modulepreload', href: aim.at('/api/scripts') })` },
  { name: 'video', fire: `element('video', { src: aim.at('/api/scripts'), preload: 'auto' })` },
  { name: 'audio', fire: `element('audio', { src: aim.at('/api/scripts'), preload: 'auto' })` },
  { name: 'video-poster', fire: `void element('video', { poster: aim.at('/api/scripts') })` },
  { name: 'track', fire: `track({ src: aim.at('/api/scripts') })` },
  { name: 'object', fire: `element('object', { data: aim.at('/api/scripts'), type: 'text/html' })` },
  { name: 'embed', fire: `element('embed', { src: aim.at('/api/scripts'), type: 'text/html' })` },
  { name: 'frame', fire: `element('iframe', { src: aim.at('/api/scripts') })` },
  { name: 'frame-sandboxed', fire: `element('iframe', { src: aim.at('/api/scripts'), sandbox: '' })` },
  { name: 'window-open', fire: `lookInto(open(aim.at('/api/scripts')))` },
  { name: 'window-open-no-opener', fire: `void open(aim.at('/api/scripts'), '_blank', 'noopener')` },
  { name: 'history', fire: `goBackTo(aim.at('/api/scripts'), aim.home)` },
  { name: 'ping', fire: `click({ href: '#ping', ping: aim.at('/api/execute') })` },
  {
    name: 'frame-form-urlencoded',
    fire: `submitIntoFrame({ action: aim.at('/api/execute') }, aim.fields)`,
  },
  {
    name: 'frame-form-text',
    fire: `submitIntoFrame({ action: aim.at('/api/notify'), enctype: 'text/plain' }, { '{"notify_type":"info","title":"': '"}' })`,
  },
  {
    name: 'frame-form-multipart',
    fire: `submitIntoFrame({ action: aim.at('/api/execute'), enctype: 'multipart/form-data' }, aim.fields)`,
  },
  {
    name: 'frame-form-redirect-307',
    fire: `submitIntoFrame({ action: aim.via(307, '/api/execute') }, aim.fields)`,
  },
  {
    name: 'window-form',
    fire: `void submit({ action: aim.at('/api/execute'), target: '_blank' }, aim.fields)`,
  },
  ...framesWithin(),
  {
    name: 'report-uri',
    fire: `element('img', { src: aim.home + '/forbidden.png' })`,
    headers: (urls) => ({ 'content-security-policy': `img-src 'none'; report-uri ${urls.join(' ')}` }),
  },
  ...leavingVectors(),
];

/** Requests from documents with an opaque origin, or with the origin of their parent. */
function framesWithin(): Vector[] {
  const post = `(aim) => fetch(aim.at('/api/execute'), { method: 'POST', mode: 'no-cors', body: aim.body }).then(textOf)`;
  const get = `(aim) => fetch(aim.at('/api/scripts')).then(textOf)`;
  const form = `(aim) => submit({ action: aim.at('/api/execute') }, aim.fields)`;
  const inFrame = (frame: string, fire: string) => `inFrame(${frame}, aim, ${JSON.stringify(fire)})`;
  const sandbox = `{ kind: 'srcdoc', sandbox: 'allow-scripts allow-forms' }`;
  return [
    { name: 'sandbox-fetch', fire: inFrame(sandbox, post) },
    { name: 'sandbox-fetch-cors', fire: inFrame(sandbox, get) },
    { name: 'sandbox-form', fire: inFrame(sandbox, form) },
    { name: 'data-fetch', fire: inFrame(`{ kind: 'data' }`, post) },
    { name: 'data-form', fire: inFrame(`{ kind: 'data' }`, form) },
    { name: 'srcdoc-fetch', fire: inFrame(`{ kind: 'srcdoc' }`, post) },
    { name: 'srcdoc-form', fire: inFrame(`{ kind: 'srcdoc' }`, form) },
    { name: 'blob-fetch', fire: inFrame(`{ kind: 'blob' }`, post) },
    { name: 'blob-form', fire: inFrame(`{ kind: 'blob' }`, form) },
  ];
}

/** Vectors that navigate the whole window. */
function leavingVectors(): Vector[] {
  const vectors: Vector[] = [
    { name: 'form-urlencoded', fire: `submit({ action: aim.at('/api/execute') }, aim.fields)` },
    {
      name: 'form-text',
      fire: `submit({ action: aim.at('/api/notify'), enctype: 'text/plain' }, { '{"notify_type":"info","title":"': '"}' })`,
    },
    {
      name: 'form-multipart',
      fire: `submit({ action: aim.at('/api/execute'), enctype: 'multipart/form-data' }, aim.fields)`,
    },
    {
      name: 'form-no-referrer',
      head: () => '<meta name="referrer" content="no-referrer">',
      fire: `submit({ action: aim.at('/api/execute') }, aim.fields)`,
    },
    {
      name: 'form-get',
      fire: `submit({ action: aim.at('/api/scripts'), method: 'get' }, { vector: aim.vector })`,
    },
    { name: 'form-redirect-307', fire: `submit({ action: aim.via(307, '/api/execute') }, aim.fields)` },
    { name: 'form-redirect-302', fire: `submit({ action: aim.via(302, '/api/scripts') }, aim.fields)` },
    { name: 'location', fire: `location.assign(aim.at('/api/scripts'))` },
    { name: 'location-redirect-302', fire: `location.assign(aim.via(302, '/api/scripts'))` },
    { name: 'link', fire: `click({ href: aim.at('/api/scripts') })` },
    { name: 'link-no-referrer', fire: `click({ href: aim.at('/api/scripts'), rel: 'noreferrer' })` },
    {
      name: 'meta-refresh',
      fire: `undefined`,
      head: ([url]) => `<meta http-equiv="refresh" content="0; url=${url}">`,
    },
    {
      name: 'refresh-header',
      fire: `undefined`,
      headers: ([url]) => ({ refresh: `0; url=${url}` }),
    },
  ];
  return vectors.map((vector) => ({ ...vector, leaves: true }));
}
