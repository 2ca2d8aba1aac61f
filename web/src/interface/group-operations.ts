import type { Say } from '../language/language.tsx';
import type { Operation } from './read-document.ts';

interface Group {
  readonly key: string;
  readonly name: (say: Say) => string;
  readonly has: RegExp;
  /** Sorted by path, or else in the order of the document. */
  readonly isSorted: boolean;
}

/** Sorts by path. Methods of one path keep the order of the document. */
function byPath(a: Operation, b: Operation): number {
  return a.path < b.path ? -1 : Number(a.path > b.path);
}

/** In the order of the page. The last group takes all remaining operations. */
const groups: readonly Group[] = [
  {
    key: 'calls',
    name: (say) => say('Running scripts, and calls from scripts', '运行脚本，以及脚本可调用的接口'),
    has: /^\/api\/(?:execute|link|notify|model\/path|progress)$/,
    isSorted: false,
  },
  { key: 'scripts', name: (say) => say('Scripts', '脚本'), has: /^\/api\/scripts?\b/, isSorted: true },
  {
    key: 'runs',
    name: (say) => say('Runs and events', '运行记录与事件'),
    has: /^\/api\/(?:runs|stats|events|outcomes)\b/,
    isSorted: true,
  },
  {
    key: 'packages',
    name: (say) => say('Packages and environments', '脚本包与运行环境'),
    has: /^\/api\/(?:packages|environments)\b/,
    isSorted: true,
  },
  { key: 'models', name: (say) => say('Models', '模型'), has: /^\/api\/models\b/, isSorted: true },
  { key: 'service', name: (say) => say('Service', '服务'), has: /^/, isSorted: true },
];

export interface GroupedOperations {
  readonly key: string;
  readonly name: Group['name'];
  readonly operations: readonly Operation[];
}

/** The operations by group, without empty groups. */
export function groupOperations(operations: readonly Operation[]): GroupedOperations[] {
  const groupOf = ({ path }: Operation) => groups.find(({ has }) => has.test(path))?.key;
  return groups
    .map(({ key, name, isSorted }) => {
      const some = operations.filter((each) => groupOf(each) === key);
      return { key, name, operations: isSorted ? some.sort(byPath) : some };
    })
    .filter(({ operations: some }) => some.length > 0);
}

/** Finds operations in which every word of the query occurs in the path, the texts or the parameter names. */
export function findOperations(
  operations: readonly Operation[],
  query: string,
  wordsOf: (operation: Operation) => string,
): Operation[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return operations.filter((operation) => {
    const { method, path, summary, description, parameters } = operation;
    const names = parameters.map(({ name }) => name);
    const text = [method, path, summary, wordsOf(operation), description, ...names].join('\n').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
