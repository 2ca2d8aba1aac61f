import { KeyLocator, type KeyPath } from '../../scripts/locate-keys.ts';
import { type ParsedToml, parseToml } from '../../scripts/manifest-toml.ts';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json.ts';
import type { Findings } from './findings.ts';
import { isRequirement } from './requirement-lines.ts';
import { readRequiresPython } from './requires-python.ts';

/** Content of a table with `dependencies` and `requires-python`; null if it needs no package. */
export interface ProjectNeeds {
  readonly dependencies: readonly string[];
  readonly requiresPython: string | null;
}

interface Place {
  readonly file: string;
  /** Number of lines before the text. */
  readonly lineOffset: number;
}

/** Parses a `pyproject.toml` or the metadata of an entry; null if it is not TOML, which is reported. */
export function parseProject(
  bytes: Uint8Array,
  { file, lineOffset }: Place,
  findings: Findings,
): (ParsedToml & { kind: 'table' }) | null {
  const parsed = parseToml(bytes);
  if (parsed.kind === 'table') return parsed;
  const line = parsed.line === null ? null : parsed.line + lineOffset;
  findings.error(file, line, parsed.message, parsed.advice);
  return null;
}

/** Reads the requirements in the table at `path`. Reports invalid values. */
export function readNeeds(
  table: JsonObject,
  path: KeyPath,
  text: string,
  { file, lineOffset }: Place,
  findings: Findings,
): ProjectNeeds {
  const locator = new KeyLocator(text);
  const lineOf = (...keys: KeyPath) => {
    const line = locator.lineOf([...path, ...keys]);
    return line === null ? null : line + lineOffset;
  };
  return {
    dependencies: readDependencies(table.dependencies, (index) => {
      const keys = index === null ? ['dependencies'] : ['dependencies', index];
      findings.error(
        file,
        lineOf(...keys),
        { en: 'This is not a valid requirement', zh: '这不是有效的依赖声明' },
        {
          en: 'Write `dependencies` as a list of strings such as "requests>=2.31".',
          zh: '`dependencies` 应为文本列表，例如 "requests>=2.31"。',
        },
      );
    }),
    requiresPython: readVersions(table['requires-python'], () => {
      findings.error(
        file,
        lineOf('requires-python'),
        { en: '`requires-python` is not a valid range', zh: '无法识别 `requires-python`' },
        { en: 'Write a range such as ">=3.9" or ">=3.9,<4".', zh: '请写成 ">=3.9" 或 ">=3.9,<4" 的形式。' },
      );
    }),
  };
}

function readDependencies(value: Json | undefined, report: (index: number | null) => void): string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    report(null);
    return [];
  }
  return value.flatMap((item, index) => {
    // A line break would create two lines in the file for the tool.
    if (typeof item === 'string' && !/[\r\n]/.test(item) && isRequirement(item.trim())) return [item.trim()];
    report(index);
    return [];
  });
}

function readVersions(value: Json | undefined, report: () => void): string | null {
  if (value === undefined) return null;
  const versions = typeof value === 'string' ? readRequiresPython(value) : null;
  if (versions === null) report();
  return versions;
}

/** The table with that name, or null. */
export function tableAt(table: JsonObject, ...names: readonly string[]): JsonObject | null {
  let inner: Json | undefined = table;
  for (const name of names) {
    inner = isJsonObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined;
  }
  return isJsonObject(inner) ? inner : null;
}
