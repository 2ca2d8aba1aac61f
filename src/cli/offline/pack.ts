import { lstat, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

import { packFolder } from '../../packages/pack/pack-folder.ts';
import { AppError, errnoOf } from '../../shared/errors.ts';
import { catchInterrupt } from '../interrupt.ts';
import { quoteWord } from '../quote-word.ts';
import { printJson } from '../terminal/print-json.ts';
import { formatBytes, formatCount } from '../terminal/quantities.ts';
import { printable } from '../terminal/text-width.ts';
import { exitCodes, UserError } from '../user-error.ts';
import { describeChecked, examineFolder } from './check.ts';
import { packageFileName } from './package-file-name.ts';

export interface PackOptions {
  output?: string;
  force?: boolean;
  json?: boolean;
}

/** `hob pack`: the package of a script that is in order, in one file. */
export async function pack(text: string, { output, force, json }: PackOptions): Promise<void> {
  const checked = await examineFolder(text);
  const { folder, script, problems, errors } = checked;
  if (errors > 0 || script === null) {
    process.stderr.write(describeChecked(checked, process.stderr));
    throw new UserError('Nothing was packed.');
  }
  // Notes stop nobody, but whoever publishes should have seen them.
  if (problems.length > 0) process.stderr.write(describeChecked(checked, process.stderr));
  const target = await targetOf(output, packageFileName(script));
  await refuseTaken(target, force === true);
  const packed = await packInto(folder, target);
  if (json === true) {
    const { file, entries, bytes, sha256, notes } = packed;
    const said = { file, entries, bytes, sha256, notes: notes.map(({ en }) => en) };
    printJson({ ...said, script_id: script.id, name: script.name, version: script.version });
    return;
  }
  for (const { en } of packed.notes) process.stderr.write(`Note: ${printable(en)}\n`);
  const size = `${formatCount(packed.entries, 'file')}, ${formatBytes(packed.bytes)}`;
  process.stdout.write(
    `${packed.file}\n${size}, sha256 ${packed.sha256}\nInstall it: hob install ${quoteWord(packed.file)}\n`,
  );
}

/** A link is replaced and not followed; a device or a pipe is nobody's to replace. */
async function refuseTaken(target: string, mayReplace: boolean): Promise<void> {
  const found = await lstat(target).catch(() => null);
  if (found === null) return;
  if (!found.isFile() && !found.isSymbolicLink())
    throw new UserError(`${target} is no file, and is not replaced by one. Say -o for another file.`);
  if (!mayReplace)
    throw new UserError(`${target} is there already. Say --force to replace it, or -o for another file.`);
}

async function packInto(folder: string, target: string): ReturnType<typeof packFolder> {
  const interrupt = catchInterrupt();
  try {
    return await packFolder(folder, { target, signal: interrupt.signal });
  } catch (error) {
    if (interrupt.signal.aborted) throw new UserError('Nothing was packed.', interrupt.exitCode);
    if (error instanceof AppError)
      throw new UserError(
        printable([error.text.en, error.hint?.en ?? ''].filter((each) => each !== '').join('\n')),
      );
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    throw new UserError(`${target} cannot be written (${errno}).`);
  } finally {
    interrupt.release();
  }
}

async function targetOf(output: string | undefined, fileName: string): Promise<string> {
  if (output === undefined) return resolve(fileName);
  if (output === '') throw new UserError('Say which file to write after -o.', exitCodes.usage);
  const path = resolve(output);
  if (await isFolder(path)) return join(path, fileName);
  if (!(await isFolder(dirname(path))))
    throw new UserError(`There is no folder ${dirname(path)} to write to.`);
  return path;
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() === true;
}
