import { assertNever } from '../../shared/assert-never.ts';
import { bashEntry } from './entries/bash.ts';
import { nodeEntry } from './entries/node.ts';
import { powershellEntry } from './entries/powershell.ts';
import { pythonEntry } from './entries/python.ts';
import { manifestText, runtimes } from './manifest-text.ts';
import type { NewFile, NewScript } from './new-script.ts';
import { readmeText } from './readme-text.ts';
import { sampleFile } from './sample-input.ts';

/** All files of a new script. */
export function filesOfScript(script: NewScript): NewFile[] {
  const sample = sampleFile(script.input);
  return [
    { path: 'script.toml', text: manifestText(script) },
    { path: runtimes[script.language].entry, text: entryText(script) },
    ...(sample === null ? [] : [sample]),
    { path: 'README.md', text: readmeText(script) },
  ];
}

function entryText(script: NewScript): string {
  switch (script.language) {
    case 'python':
      return pythonEntry(script);
    case 'node':
    case 'typescript':
      return nodeEntry(script);
    case 'bash':
      return bashEntry(script);
    case 'powershell':
      return powershellEntry(script);
    default:
      return assertNever(script.language);
  }
}
