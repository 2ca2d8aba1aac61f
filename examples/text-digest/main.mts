// Lists the texts in a folder as Markdown. It calls another script, "Text statistics", once for each file: an example of how one
// script uses another.

import { readdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { extname, isAbsolute, join } from 'node:path';

import { main, type Run } from 'hob';

const textStatistics = 'bb01422c-7c2f-4e90-80d0-1a3f21cf4c9e';

interface TextFile {
  name: string;
  title: string;
  words: number;
  minutes: number;
}

await main(async ({ params, run }) => {
  const folder = readFolder(run);
  if (params.words_per_minute < 1) run.fail('words_per_minute must be 1 or more.');
  if (params.output !== '' && !isAbsolute(params.output))
    run.fail('output must be an absolute path, or empty.');

  const files: TextFile[] = [];
  const skipped: { name: string; reason: string }[] = [];
  for (const name of await listTexts(run, folder)) {
    const counted = await countWords(run, join(folder, name));
    if (typeof counted === 'string') {
      skipped.push({ name, reason: counted });
    } else {
      const minutes = Math.max(1, Math.round(counted.words / params.words_per_minute));
      files.push({ name, minutes, ...counted });
    }
  }
  if (files.length === 0) {
    const reasons = skipped.map(({ name, reason }) => `${name}: ${reason}`).join('; ');
    run.fail(`There is no text in ${folder} to list. ${reasons}`.trim());
  }

  const digest = writeDigest(folder, files);
  if (params.output !== '') await save(run, params.output, digest);
  const words = files.reduce((sum, file) => sum + file.words, 0);
  const msg = `${files.length} text(s) with ${words} words`;
  console.log(msg);
  return { msg, digest, files, skipped };
});

/** The main input is always a list of values, also for an input of the type str. */
function readFolder(run: Run): string {
  const [folder, ...more] = run.inputs;
  if (folder === undefined) run.fail('No folder was given. Send its absolute path as data.folder.');
  if (more.length > 0) run.fail('Only one folder can be listed at a time.');
  const path = folder.replace(/^~(?=\/|$)/, homedir());
  if (!isAbsolute(path)) run.fail(`The path of the folder must be absolute: ${folder}`);
  return path;
}

async function listTexts(run: Run, folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    const names = entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
    return names.filter((name) => run.params.extensions.includes(extname(name).toLowerCase())).sort();
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    run.fail(
      isMissing ? `There is no such folder: ${folder}` : `The folder cannot be read: ${reasonOf(error)}`,
    );
  }
}

/** Links "Text statistics" for one file. Returns the reason as a text if that file cannot be counted. */
async function countWords(run: Run, path: string): Promise<{ title: string; words: number } | string> {
  const data = { files: [path] };
  const { status, message, result } = await run.link(textStatistics, {
    data,
    params: { top_words: 0 },
    check: false,
  });
  if (status === null) run.fail(`The service cannot be reached: ${message}`, { code: 2 });
  // Any other status than 200 means that Hob refused the link. It would refuse the next file too.
  if (status !== 200) run.fail(`"Text statistics" was not run: ${message}`, { code: 2 });
  // 200 means that the script ran. Its envelope has the result. A failure other than a skipped file has only a message.
  if (result.code !== 0 || !Array.isArray(result.files)) return result.skipped?.[0]?.reason ?? result.msg;
  const [file] = result.files;
  return { title: file.title, words: file.words };
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

async function save(run: Run, path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx' });
  } catch (error) {
    run.fail(`The digest cannot be saved: ${reasonOf(error)}`);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
