import type { Say } from '../language/language.tsx';
import type { Operation } from './read-document.ts';

interface Group {
  readonly key: string;
  readonly name: (say: Say) => string;
  readonly has: RegExp;
}

/** In the order of what people look for; the last takes what no other has. */
const groups: readonly Group[] = [
  {
    key: 'calls',
    name: (say) => say('Run scripts, and what scripts call', '运行脚本，以及脚本可调用的接口'),
    has: /^\/api\/(?:execute|link|notify|model\/path|progress)$/,
  },
  { key: 'scripts', name: (say) => say('Scripts', '脚本'), has: /^\/api\/scripts?\b/ },
  {
    key: 'runs',
    name: (say) => say('Runs and events', '运行记录与事件'),
    has: /^\/api\/(?:runs|stats|events)\b/,
  },
  {
    key: 'packages',
    name: (say) => say('Packages and environments', '脚本包与运行环境'),
    has: /^\/api\/(?:packages|environments)\b/,
  },
  { key: 'models', name: (say) => say('Models', '模型'), has: /^\/api\/models\b/ },
  { key: 'service', name: (say) => say('The service', '服务'), has: /^/ },
];

export interface GroupedOperations {
  readonly key: string;
  readonly name: Group['name'];
  readonly operations: readonly Operation[];
}

/** The operations by what they are about; groups with none are left out. */
export function groupOperations(operations: readonly Operation[]): GroupedOperations[] {
  const groupOf = ({ path }: Operation) => groups.find(({ has }) => has.test(path))?.key;
  return groups
    .map(({ key, name }) => ({ key, name, operations: operations.filter((each) => groupOf(each) === key) }))
    .filter(({ operations: some }) => some.length > 0);
}

/** Those in which every word of a query occurs: in the path, in what is said of them, or in the names of what they take. */
export function findOperations(
  operations: readonly Operation[],
  query: string,
  titleOf: (operation: Operation) => string,
): Operation[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return operations.filter((operation) => {
    const { method, path, summary, description, parameters } = operation;
    const names = parameters.map(({ name }) => name);
    const text = [method, path, summary, titleOf(operation), description, ...names].join('\n').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
