/** An object with fewer fields is shown again in each place. */
const smallestReference = 4;

/** Up to this number of fields without a meaning stand in one line. */
const mostInline = 4;

/**
 * Renders docs/http.md from the OpenAPI document that the service serves, with its references resolved, the status of each error code, and the hand-written pages
 * by their names, whose headings name requests that they explain.
 */
export function httpPage(document, statusOfCodes, pages) {
  const details = detailsIn(pages);
  const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      operation,
      details: details.get(`${method.toUpperCase()} ${path}`),
    })),
  );
  const groups = document.tags.map((tag) => [
    tag,
    routes.filter(({ operation }) => operation.tags.includes(tag.name)),
  ]);
  const known = [];
  return `${[
    '# HTTP reference',
    '',
    `Every request of the HTTP interface ${interfaceOf(document)}, with its fields and its answers. [interface.md](interface.md) explains how to use them:`,
    'address, run tokens, idempotency keys, chains, the queue, streams. A running service has the same reference as an OpenAPI document at',
    '`/api/openapi.json`.',
    '',
    '| Request | Purpose |',
    '|---|---|',
    ...groups.flatMap(([, list]) =>
      list.map(({ name, operation }) => `| [\`${name}\`](#${anchor(name)}) | ${operation.summary} |`),
    ),
    '',
    'Requests and answers are JSON unless another type is named. A field of a request can be absent unless it is marked as required. A field of an',
    'answer is always present unless it is marked as optional.',
    '`items[].name` is the field `name` of each entry of the list `items`.',
    '',
    '## Errors',
    '',
    ...errorsText(routes, statusOfCodes),
    ...groups.flatMap(([{ name, description }, list]) => [
      '',
      `## ${name}`,
      '',
      description,
      ...list.flatMap((route) => routeText(route, known)),
    ]),
    '',
    '<!-- Generated from the OpenAPI document of the service. Run `npm run generate` after a change. -->',
  ].join('\n')}\n`;
}

function interfaceOf({ info }) {
  return /interface (\d+(?:\.\d+)+)/.exec(info.description)?.[1] ?? '';
}

/** Links to the sections that explain a request, by its name. */
function detailsIn(pages) {
  const links = new Map();
  for (const [page, text] of Object.entries(pages))
    for (const [, heading] of text.matchAll(/^#+ ((?:GET|POST|DELETE) \/.*)$/gm)) {
      const plain = heading.replaceAll('&lt;', '<').replaceAll('&gt;', '>');
      for (const [name] of plain.matchAll(/\b(?:GET|POST|DELETE) \/[^\s,]+/g))
        links.set(name.replace(/<(\w+)>/g, '{$1}'), `[Details](${page}#${anchor(plain)})`);
    }
  return links;
}

/** The id that GitHub gives to a heading. */
function anchor(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function errorsText(routes, statusOfCodes) {
  const forms = new Map();
  for (const { name, operation } of routes) {
    const { properties = {} } = operation.responses['4XX']?.content?.['application/json']?.schema ?? {};
    const form = Object.entries(properties).map(([field, schema]) => `\`${field}\`: ${typeOf(schema)}`);
    const key = form.join('; ');
    forms.set(key, [...(forms.get(key) ?? []), `\`${name}\``]);
  }
  const byCount = [...forms].sort(([, a], [, b]) => a.length - b.length);
  const statuses = new Map();
  for (const [code, status] of statusOfCodes)
    statuses.set(status, [...(statuses.get(status) ?? []), `\`${code}\``]);
  return [
    'The header `X-Hob-Error` of an error has one of these codes. [errors.md](errors.md) says what each means.',
    '',
    '| Status | Codes |',
    '|---|---|',
    ...[...statuses]
      .sort(([a], [b]) => a - b)
      .map(([status, codes]) => `| ${status} | ${codes.join(', ')} |`),
    '',
    'The body of an error has these fields:',
    '',
    '| Request | Fields |',
    '|---|---|',
    ...byCount.map(
      ([form, names], at) => `| ${at === byCount.length - 1 ? 'all others' : names.join(', ')} | ${form} |`,
    ),
    '| a path or method that does not exist: 404, 405 | `status`: `error`; `message`: text |',
  ];
}

function routeText({ name, operation, details }, known) {
  const { description, parameters, requestBody, responses } = operation;
  return [
    '',
    `### ${name}`,
    '',
    [description, details].filter(Boolean).join(' '),
    ...parametersText(parameters),
    ...Object.entries(requestBody?.content ?? {}).flatMap(([type, { schema }]) =>
      formsText(`**Body**${typeText(type)}:`, '', schema, { name, known, isRequest: true }),
    ),
    ...Object.entries(responses)
      .filter(([status]) => !/^[45]/.test(status))
      .flatMap(([status, response]) => answerText(status, response, { name, known, isRequest: false })),
  ];
}

function typeText(type) {
  return type === 'application/json' ? '' : ` (\`${type}\`)`;
}

function parametersText(parameters) {
  if (parameters.length === 0) return [];
  const rows = parameters.map(
    ({ name, in: place, required, schema, description }) =>
      `| \`${name}\` | ${place}${required && place !== 'path' ? ', required' : ''} | ${typeOf(schema)} | ${cell(description)} |`,
  );
  return ['', '| Parameter | In | Type | Meaning |', '|---|---|---|---|', ...rows];
}

function answerText(status, { description, headers = {}, content = {} }, place) {
  const named = Object.entries(headers).map(
    ([header, { schema, description: meaning }]) =>
      `\`${header}\`: ${typeOf(schema)}${meaning === undefined ? '' : `, ${meaning.replace(/\.$/, '')}`}`,
  );
  const tail = named.length === 0 ? '' : ` Headers: ${named.join('; ')}.`;
  const types = Object.entries(content);
  if (types.length === 0) return ['', `**${status}**: ${description}${tail}`];
  return types.flatMap(([type, { schema }]) => {
    const head = `**${status}**${typeText(type)}:`;
    return type === 'application/json'
      ? formsText(head, `${description}${tail}`, schema, place)
      : ['', `${head} ${description}${tail}`];
  });
}

/** A line and the fields for each form that the JSON can have. */
function formsText(head, text, schema, place) {
  const forms = (schema.anyOf ?? [schema]).filter(({ type }) => type !== 'null');
  return forms.flatMap((form) => {
    const line = [head, forms.length > 1 ? (form.description ?? text) : text].filter(Boolean).join(' ');
    const { reference, rows } = fieldsOf(form, '', '', place);
    if (rows.length === 0) {
      const fields = reference === null ? '' : ` The fields of ${reference}.`;
      return ['', `${line}${fields}`];
    }
    const more = reference === null ? '' : ` The fields of ${reference}, with these changes:`;
    if (reference === null && rows.length <= mostInline && rows.every(({ meaning }) => meaning === ''))
      return ['', `${line} ${rows.map(({ path, type }) => `\`${path}\`: ${type}`).join('; ')}.`];
    const lines = rows.map(({ path, type, meaning }) => `| \`${path}\` | ${type} | ${cell(meaning)} |`);
    return ['', `${line}${more}`, '', '| Field | Type | Meaning |', '|---|---|---|', ...lines];
  });
}

/** The rows of an object, and a link to an earlier object that has its other fields. */
function fieldsOf(schema, path, prefix, place) {
  const { properties = {}, required = [] } = schema;
  const entries = Object.entries(properties).map(([name, value]) => {
    const isRequired = required.includes(name);
    const mark = place.isRequest ? (isRequired ? ', required' : '') : isRequired ? '' : ', optional';
    return { name, value, mark, key: JSON.stringify([mark, value]) };
  });
  const before = similarObject(entries, place.known);
  if (before === null && entries.length >= smallestReference)
    place.known.push({ name: place.name, path, keys: new Map(entries.map(({ name, key }) => [name, key])) });
  const shown = before === null ? entries : entries.filter(({ name, key }) => before.keys.get(name) !== key);
  return {
    reference: before === null ? null : referenceTo(before, place),
    rows: shown.flatMap((entry) => rowsOf(entry, prefix, place)),
  };
}

/** Finds the earlier object that has most of the fields, and no other fields. */
function similarObject(entries, known) {
  const names = new Set(entries.map(({ name }) => name));
  const candidates = known
    .filter(({ keys }) => [...keys.keys()].every((name) => names.has(name)))
    .map((object) => ({
      object,
      same: entries.filter(({ name, key }) => object.keys.get(name) === key).length,
    }))
    .filter(({ same }) => same >= smallestReference && same >= entries.length / 2)
    .sort((a, b) => b.same - a.same);
  return candidates[0]?.object ?? null;
}

function referenceTo({ name, path }, place) {
  if (name === place.name) return `\`${path}\``;
  const inside = path === '' ? '' : `\`${path}\` in `;
  return `${inside}[\`${name}\`](#${anchor(name)})`;
}

function rowsOf({ name, value, mark }, prefix, place) {
  const path = `${prefix}${name}`;
  const { inner, suffix } = innerOf(value);
  const { reference, rows } =
    inner === null
      ? { reference: null, rows: [] }
      : fieldsOf(inner, `${path}${suffix}`, `${path}${suffix}.`, place);
  const more =
    reference === null
      ? ''
      : `The fields of ${reference}${rows.length === 0 ? '.' : ', with these changes:'}`;
  const meaning = [meaningOf(value), more].filter(Boolean).join(' ');
  return [{ path, type: `${typeOf(value)}${mark}`, meaning }, ...rows];
}

/** The object with fields inside a value, and how its path continues: an object, or a list or a map of objects, or one of them or null. */
function innerOf(value) {
  const plain = withoutNull(value);
  if (plain.properties !== undefined) return { inner: plain, suffix: '' };
  const item = plain.items ?? (isMap(plain) ? plain.additionalProperties : undefined);
  if (item === undefined) return { inner: null, suffix: '' };
  const { inner, suffix } = innerOf(item);
  return { inner, suffix: `${plain.items === undefined ? '.*' : '[]'}${suffix}` };
}

function withoutNull(schema) {
  const others = schema.anyOf?.filter(({ type }) => type !== 'null');
  return others?.length === 1 ? others[0] : schema;
}

function isMap({ additionalProperties }) {
  return typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0;
}

function meaningOf(value) {
  return value.description ?? withoutNull(value).description ?? '';
}

function typeOf(schema) {
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeOf))].join(' or ');
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.enum !== undefined)
    return schema.enum.map((value) => `\`${cell(valueText(value))}\``).join(', ');
  const fallback = schema.default === undefined ? '' : `; default ${schema.default}`;
  return `${baseOf(schema)}${rangeOf(schema)}${fallback}`;
}

function valueText(value) {
  return value === '' ? '""' : String(value);
}

function baseOf(schema) {
  const { type, format, items } = schema;
  if (type === 'string') return { uuid: 'UUID', 'date-time': 'time', date: 'date' }[format] ?? 'text';
  if (type === 'array') {
    const item = items === undefined ? 'values' : typeOf(items);
    return `list of ${{ text: 'texts', object: 'objects', 'any value': 'values' }[item] ?? item}`;
  }
  if (type === 'object' && isMap(schema) && innerOf(schema).inner === null)
    return `object of ${{ text: 'texts', integer: 'integers' }[typeOf(schema.additionalProperties)] ?? 'values'}`;
  return type ?? 'any value';
}

function rangeOf({ minimum, maximum }) {
  if (minimum !== undefined && maximum !== undefined) return `, ${minimum} to ${maximum}`;
  if (minimum !== undefined) return `, at least ${minimum}`;
  return maximum === undefined ? '' : `, at most ${maximum}`;
}

function cell(text = '') {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
