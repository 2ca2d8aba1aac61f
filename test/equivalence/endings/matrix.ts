import { readdir, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

import { type Program, programOf } from '../programs.ts';

/** The writer with a child process creates this file when the child is done. */
const childFile = 'child.txt';

/** A module of the script, in which one of the holders stores its object. */
const helper = Buffer.from('kept = None\n\n\ndef use():\n    return kept\n');

/**
 * One program per writer and holder. A writer defines `begin()`, which returns an object that writes data when it is
 * closed. A holder keeps that object, and the program ends without closing it.
 */
export async function readHeldWriters(): Promise<Program[]> {
  const [writers, holders] = await Promise.all([readParts('writers'), readParts('holders')]);
  return [...writers.keys()].flatMap((writer) => combine(writer, writers, holders));
}

/** One program per unusual place to keep an object, for a text file only. */
export async function readHeldFiles(): Promise<Program[]> {
  const [writers, places] = await Promise.all([readParts('writers'), readParts('places')]);
  return combine('a-text-file', writers, places);
}

function combine(
  writer: string,
  writers: ReadonlyMap<string, string>,
  holders: ReadonlyMap<string, string>,
): Program[] {
  const beginning = writers.get(writer);
  if (beginning === undefined) throw new Error(`no writer ${writer}`);
  const special = beginning.includes(childFile) ? { awaits: childFile } : {};
  return [...holders].map(([holder, keeping]) => {
    const main = Buffer.from(`${beginning}\n\n${keeping}`);
    const files = new Map([
      ['main.py', main],
      ['helper.py', helper],
    ]);
    return programOf(`keeps-${writer}-${holder}`, special, files);
  });
}

/** The text of each file in a folder next to this file, by name. */
async function readParts(folderName: string): Promise<Map<string, string>> {
  const folder = new URL(`${folderName}/`, import.meta.url);
  const parts = new Map<string, string>();
  for (const name of (await readdir(fileURLToPath(folder))).sort())
    parts.set(basename(name, '.py'), await readFile(new URL(name, folder), 'utf8'));
  return parts;
}
