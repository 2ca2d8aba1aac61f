import { ChevronRight, TriangleAlert } from 'lucide-react';
import { useState } from 'react';

import type { Problem, Script } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { classes } from '../parts/classes.ts';

interface ProblemListProps {
  readonly problems: readonly Problem[];
  /** Whether the problems are not the main content: on narrow screens the list then starts collapsed. */
  readonly isAside?: boolean;
}

/** The problems of manifests with their position and advice. */
export function ProblemList({ problems, isAside = false }: ProblemListProps) {
  const say = useSay();
  const [isNarrow] = useState(() => matchMedia('(width < 40rem)').matches);
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (problems.length === 0) return null;
  const count = problems.length;
  return (
    <details
      open={errors.length > 0 && !(isAside && isNarrow)}
      className={classes(
        'group mb-5 rounded-xl border border-line',
        errors.length > 0 ? 'bg-bad-ground' : 'bg-warn-ground',
      )}
    >
      <summary className="flex items-center gap-2 rounded-xl px-4 py-2.5 font-medium select-none [&::-webkit-details-marker]:hidden">
        <TriangleAlert size={16} aria-hidden className={errors.length > 0 ? 'text-bad' : 'text-warn'} />
        {errors.length > 0
          ? say(
              errors.length === 1 ? '1 manifest problem to fix' : `${errors.length} manifest problems to fix`,
              `${errors.length} 个清单问题需要修复`,
            )
          : say(`${count} manifest ${count === 1 ? 'note' : 'notes'}`, `${count} 条清单提示`)}
        <ChevronRight
          size={16}
          aria-hidden
          className="ml-auto text-muted transition-transform group-open:rotate-90"
        />
      </summary>
      <ul className="flex max-h-80 flex-col gap-3 overflow-y-auto px-4 pb-4">
        {problems.map((problem) => (
          <li key={`${problem.file}:${problem.line}:${problem.message}`} className="min-w-0">
            <p className={problem.severity === 'error' ? 'text-bad' : 'text-warn'}>{problem.message}</p>
            <p>{problem.advice}</p>
            <p className="font-mono text-xs break-all text-muted">
              {problem.file}
              {problem.line !== null && `:${problem.line}`}
            </p>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Whether a problem is in the folder of the script. */
export function isProblemOf({ folder }: Pick<Script, 'folder'>, { file }: Pick<Problem, 'file'>): boolean {
  return file === folder || ['/', '\\'].some((separator) => file.startsWith(folder + separator));
}

/** The folders of scripts that are listed but cannot run. */
export function unusableFolders(scripts: readonly Script[], problems: readonly Problem[]): Set<string> {
  const wrong = new Set(problems.filter(({ severity }) => severity === 'error').map(({ file }) => file));
  return new Set(scripts.filter(({ manifest }) => wrong.has(manifest)).map(({ folder }) => folder));
}
