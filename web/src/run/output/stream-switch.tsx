import { useSay } from '../../language/language.tsx';
import { classes } from '../../parts/classes.ts';
import type { StreamChoice } from './shown-lines.ts';

interface StreamSwitchProps {
  readonly choice: StreamChoice;
  readonly onChoose: (choice: StreamChoice) => void;
}

/** Chooses the shown streams. stderr has the same mark as its lines. */
export function StreamSwitch({ choice, onChoose }: StreamSwitchProps) {
  const say = useSay();
  const names = { all: say('All', '全部'), stdout: 'stdout', stderr: 'stderr' } as const;
  return (
    <fieldset className="flex rounded-lg border border-line-strong p-0.5">
      <legend className="sr-only">{say('Streams', '输出流')}</legend>
      {(['all', 'stdout', 'stderr'] as const).map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={choice === each}
          onClick={() => onChoose(each)}
          className={classes(
            'inline-flex h-6 items-center gap-1.5 rounded-md px-2 text-xs',
            choice === each ? 'bg-hover font-medium' : 'text-muted hover:text-ink',
          )}
        >
          {each === 'stderr' && <span aria-hidden className="h-3 w-[3px] bg-bad" />}
          {names[each]}
        </button>
      ))}
    </fieldset>
  );
}
