// Turns titles into slugs: "Crème brûlée, easily!" becomes "creme-brulee-easily".

import { readFile, writeFile } from 'node:fs/promises';

/** An error that ends the script with a message instead of a stack trace. */
class Problem extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

function main({ data, params }) {
  // Params in the short form have no declared type, so the script checks the number.
  if (!Number.isInteger(params.max_length) || params.max_length < 1) {
    throw new Problem(1, 'max_length must be a whole number of 1 or more.');
  }
  if (!/^[-_.~]?$/.test(params.separator)) throw new Problem(1, 'separator must be one of - _ . ~ or empty.');
  const titles = data.title.filter((title) => title.trim() !== '');
  if (titles.length === 0) throw new Problem(1, 'No title was given. Send it as data.title.');

  const slugs = titles.map((title) => ({ title, slug: slugOf(title, params) }));
  const empty = slugs.find(({ slug }) => slug === '');
  if (empty) {
    const advice = params.ascii ? ' With ascii set to false, all letters count.' : '';
    throw new Problem(1, `Nothing of "${empty.title}" can be used in a slug.${advice}`);
  }
  const [{ slug }] = slugs;
  return { code: 0, msg: slug, slug, slugs };
}

function slugOf(title, { separator, max_length: maxLength, lowercase, ascii }) {
  const plain = title
    // Splits an accented letter into letter and accent; the next line removes the accent.
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .normalize('NFKC')
    .replace(/['’]/g, '');
  const words =
    (lowercase ? plain.toLowerCase() : plain).match(ascii ? /[A-Za-z0-9]+/g : /[\p{L}\p{N}]+/gu) ?? [];

  // Use whole words while they fit. Cut the first word if it is too long.
  let slug = '';
  for (const word of words) {
    const longer = slug === '' ? [...word].slice(0, maxLength).join('') : slug + separator + word;
    if ([...longer].length > maxLength) break;
    slug = longer;
  }
  return slug;
}

// The first argument is the parameter file.
const request = JSON.parse(await readFile(process.argv[2], 'utf8'));
let envelope;
try {
  envelope = main(request);
} catch (error) {
  if (!(error instanceof Problem)) throw error;
  envelope = { code: error.code, msg: error.message };
}
await writeFile(request.environment.output_json, JSON.stringify(envelope));
console.log(envelope.msg);
process.exitCode = envelope.code === 0 ? 0 : 1;
