import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { errnoOf, isExhaustion } from '../shared/errors.ts';
import { type ReadFailure, readRegularFile } from '../shared/read-regular-file.ts';
import type { Text } from '../shared/text.ts';
import { maxManifestBytes, parseToml } from './manifest-toml.ts';
import { type ManifestReading, readManifest } from './read-manifest.ts';
import { fileError, type Problem, type Script } from './script.ts';

/** The result of loading a folder. */
export type LoadedFolder =
  | { kind: 'script'; folder: string; script: Script; notes: Problem[] }
  | { kind: 'broken'; folder: string; ids: string[]; name: string | null; problems: Problem[] };

const canonicalName = 'script.toml';

/** Maximum number of other TOML files: a folder with more contains data. */
const mostCandidates = 50;

/** TOML files that belong to other tools. */
const foreignNames = new Set([
  'bunfig.toml',
  'cargo.toml',
  'mise.toml',
  'netlify.toml',
  'pixi.toml',
  'poetry.toml',
  'pyproject.toml',
  'ruff.toml',
  'rust-toolchain.toml',
  'rustfmt.toml',
  'taplo.toml',
  'uv.toml',
]);

export function mayBeManifest(fileName: string): boolean {
  const lower = fileName.toLowerCase();
  return lower.endsWith('.toml') && !lower.startsWith('.') && !foreignNames.has(lower);
}

/** Loads the script in this folder; null if there is none. */
export async function loadFolder(folder: string): Promise<LoadedFolder | null> {
  const names = (await listNames(folder)).filter(mayBeManifest);
  // The canonical name wins, so no other file is read. Read sequentially, because a folder may contain any number of files.
  const candidates = names.includes(canonicalName) ? [canonicalName] : names.slice(0, mostCandidates);
  const readings: { name: string; reading: ManifestReading }[] = [];
  for (const name of candidates) readings.push({ name, reading: await readFileAt(join(folder, name), name) });
  const manifests = readings.filter(({ reading }) => reading.kind !== 'not-a-manifest');
  // Prefer a file that is certainly a manifest: a file that cannot be parsed may have any purpose.
  const chosen =
    manifests.find(({ reading }) => reading.kind === 'script') ??
    manifests.find(({ reading }) => reading.kind === 'broken' && reading.ids.length > 0) ??
    manifests[0];
  if (chosen === undefined) return null;

  const scripts = manifests.filter(({ reading }) => reading.kind === 'script');
  if (scripts.length > 1) return twoManifests(folder, scripts);
  const { reading } = chosen;
  return reading.kind === 'not-a-manifest' ? null : { folder, ...reading };
}

async function listNames(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    // Out of file handles: this says nothing about the folder.
    if (isExhaustion(errnoOf(error))) throw error;
    // Missing or not readable: there is no script.
    return [];
  }
}

async function readFileAt(path: string, name: string): Promise<ManifestReading> {
  const content = await readRegularFile(path, { maxBytes: maxManifestBytes });
  if (content.kind === 'content') {
    const reading = await readManifest(path, parseToml(content.bytes));
    const mustBeManifest = reading.kind === 'not-a-manifest' && name === canonicalName;
    return mustBeManifest ? brokenReading(path, notAScript) : reading;
  }
  if (content.kind === 'missing') return { kind: 'not-a-manifest' };
  if (content.kind === 'unreadable' && isExhaustion(content.errno)) {
    throw Object.assign(new Error(`cannot read ${path}`), { code: content.errno });
  }
  return brokenReading(path, unreadable(content));
}

const notAScript: Text = {
  en: 'This file has no table with info.id and runtime.entry',
  zh: '文件中没有包含 info.id 和 runtime.entry 的表',
};

function brokenReading(path: string, message: Text): ManifestReading {
  const advice: Text = {
    en: 'docs/manifest.md shows a complete manifest.',
    zh: '完整示例见 docs/manifest.md。',
  };
  return { kind: 'broken', ids: [], name: null, problems: [fileError(path, { ...message, advice })] };
}

function unreadable(failure: ReadFailure): Text {
  if (failure.kind === 'too-large') {
    return {
      en: `The manifest is larger than ${maxManifestBytes} bytes`,
      zh: `清单文件超过 ${maxManifestBytes} 字节`,
    };
  }
  const reason = failure.kind === 'unreadable' ? failure.errno : failure.kind;
  return { en: `The manifest cannot be read (${reason})`, zh: `无法读取清单文件（${reason}）` };
}

function twoManifests(folder: string, scripts: { name: string; reading: ManifestReading }[]): LoadedFolder {
  const names = scripts.map(({ name }) => name).join(', ');
  const [first] = scripts;
  const ids = scripts.flatMap(({ reading }) => (reading.kind === 'script' ? [reading.script.id] : []));
  const problem = fileError(join(folder, first?.name ?? ''), {
    en: `This folder has several manifests: ${names}`,
    zh: `文件夹中有多个清单文件：${names}`,
    advice: {
      en: `Keep one, or rename the right one to ${canonicalName}.`,
      zh: `请只保留一个，或将其命名为 ${canonicalName}。`,
    },
  });
  return { kind: 'broken', folder, ids, name: null, problems: [problem] };
}
