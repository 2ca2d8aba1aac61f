// Lists the texts in a folder as Markdown. It calls another script, "Text statistics", once for each file: an example of how one
// script uses another.

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { extname, isAbsolute, join } from 'node:path';

const textStatistics = 'bb01422c-7c2f-4e90-80d0-1a3f21cf4c9e';

interface Request {
  environment: { api_base: string; output_json: string };
  data: { folder: string[] };
  params: { extensions: string[]; words_per_minute: number; output: string };
}

interface Envelope {
  code: number;
  msg: string;
  [key: string]: unknown;
}

interface TextFile {
  name: string;
  title: string;
  words: number;
  minutes: number;
}

/** An error that ends the script with a message instead of a stack trace. */
class Problem extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

async function main({ environment, data, params }: Request): Promise<Envelope> {
  const folder = readFolder(data.folder);
  if (params.words_per_minute < 1) throw new Problem(1, 'words_per_minute must be 1 or more.');
  if (params.output !== '' && !isAbsolute(params.output)) {
    throw new Problem(1, 'output must be an absolute path, or empty.');
  }

  const files: TextFile[] = [];
  const skipped: { name: string; reason: string }[] = [];
  for (const name of await listTexts(folder, params.extensions)) {
    const counted = await countWords(environment.api_base, join(folder, name));
    if (typeof counted === 'string') {
      skipped.push({ name, reason: counted });
    } else {
      const minutes = Math.max(1, Math.round(counted.words / params.words_per_minute));
      files.push({ name, minutes, ...counted });
    }
  }
  if (files.length === 0) {
    const reasons = skipped.map(({ name, reason }) => `${name}: ${reason}`).join('; ');
    throw new Problem(1, `There is no text in ${folder} to list. ${reasons}`.trim());
  }

  const digest = writeDigest(folder, files);
  if (params.output !== '') await save(params.output, digest);
  const words = files.reduce((sum, file) => sum + file.words, 0);
  return { code: 0, msg: `${files.length} text(s) with ${words} words`, digest, files, skipped };
}

/** The main input is always a list of values, also for an input of the type str. */
function readFolder(values: string[]): string {
  const [folder, ...more] = values;
  if (folder === undefined)
    throw new Problem(1, 'No folder was given. Send its absolute path as data.folder.');
  if (more.length > 0) throw new Problem(1, 'Only one folder can be listed at a time.');
  const path = folder.replace(/^~(?=\/|$)/, homedir());
  if (!isAbsolute(path)) throw new Problem(1, `The path of the folder must be absolute: ${folder}`);
  return path;
}

async function listTexts(folder: string, extensions: string[]): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    const names = entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
    return names.filter((name) => extensions.includes(extname(name).toLowerCase())).sort();
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw new Problem(
      1,
      isMissing ? `There is no such folder: ${folder}` : `The folder cannot be read: ${reasonOf(error)}`,
    );
  }
}

/** Links "Text statistics" for one file. Returns the reason as a text if that file cannot be counted. */
async function countWords(apiBase: string, path: string): Promise<{ title: string; words: number } | string> {
  let response: Response;
  try {
    // Append to api_base without changing it: its path identifies the run.
    response = await fetch(`${apiBase}/api/link`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'accept-language': 'en' },
      body: JSON.stringify({ script_id: textStatistics, data: { files: [path] }, params: { top_words: 0 } }),
    });
  } catch (error) {
    throw new Problem(2, `The service cannot be reached: ${reasonOf(error)}`);
  }
  const answer = await response.json();
  // Any status other than 200 means that Hob refused the link. It would refuse the next file too.
  if (response.status !== 200) throw new Problem(2, `"Text statistics" was not run: ${answer.message}`);
  // 200 means that the script ran. Its envelope has the result.
  const envelope: Envelope = answer.result;
  if (envelope.code !== 0 || !Array.isArray(envelope.files)) return skippedBecause(envelope) ?? envelope.msg;
  const [file] = envelope.files;
  return { title: file.title, words: file.words };
}

/** The reason that "Text statistics" gives for a single file; other failures have only a message. */
function skippedBecause({ skipped }: Envelope): string | undefined {
  return Array.isArray(skipped) ? skipped[0]?.reason : undefined;
}

function writeDigest(folder: string, files: TextFile[]): string {
  const rows = files.map(
    ({ name, title, words, minutes }) => `| ${cell(name)} | ${cell(title)} | ${words} | ${minutes} min |`,
  );
  return [
    `# Texts in ${folder}`,
    '',
    '| File | Title | Words | Reading time |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

/** Escapes bars, which separate columns in Markdown. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

async function save(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx' });
  } catch (error) {
    throw new Problem(1, `The digest cannot be saved: ${reasonOf(error)}`);
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // The message of fetch has no reason; the reason is in the cause.
  const { cause } = error;
  return cause instanceof Error ? cause.message : error.message;
}

// The first argument is the parameter file.
const request: Request = JSON.parse(await readFile(process.argv[2] ?? '', 'utf8'));
const envelope = await main(request).catch((error: unknown): Envelope => {
  if (error instanceof Problem) return { code: error.code, msg: error.message };
  throw error;
});
await writeFile(request.environment.output_json, JSON.stringify(envelope));
console.log(envelope.msg);
process.exitCode = envelope.code === 0 ? 0 : 1;
