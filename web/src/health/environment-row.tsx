import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';

import type { Environment } from '../api/wire.ts';
import { type Say, useSay } from '../language/language.tsx';
import { IconButton } from '../parts/button.tsx';
import { bytesText } from '../parts/bytes-text.ts';
import { classes } from '../parts/classes.ts';
import { Confirm } from '../parts/dialog.tsx';
import { Ago } from '../parts/time.tsx';

interface EnvironmentRowProps {
  readonly environment: Environment;
  readonly isBusy: boolean;
  readonly onRemove: () => void;
}

const inks = { ready: 'text-good', building: 'text-busy', damaged: 'text-bad' } as const;

export function EnvironmentRow({ environment, isBusy, onRemove }: EnvironmentRowProps) {
  const say = useSay();
  const [isAsking, setAsking] = useState(false);
  const { state, bytes, scripts, requirements, used_at: usedAt } = environment;
  const name = nameOf(environment, say);
  return (
    <li className="flex items-start gap-3 py-2">
      <div className="min-w-0 grow">
        <p className="flex flex-wrap items-baseline gap-x-3">
          <span className="font-medium break-words">{name}</span>
          <span className="tabular-nums">{bytesText(bytes)}</span>
          <span className={classes('text-[13px]', inks[state])}>{stateWord(state, say)}</span>
          {usedAt !== null && (
            <span className="text-[13px] text-muted">
              {say('last used ', '上次使用：')}
              <Ago time={usedAt} />
            </span>
          )}
        </p>
        {requirements.length > 0 && (
          <p
            className="line-clamp-2 font-mono text-xs break-words text-muted"
            title={requirements.join('\n')}
          >
            {requirements.join(', ')}
          </p>
        )}
        <p className="text-[13px] text-muted">
          {scripts.length === 0
            ? say('not used by any script', '不再有脚本需要它')
            : scripts.map(({ script_id, name: script }, index) => (
                <span key={script_id}>
                  {index > 0 && say(', ', '、')}
                  <Link href={`/scripts/${script_id}`} className="text-ink underline underline-offset-2">
                    {script}
                  </Link>
                </span>
              ))}
        </p>
      </div>
      <IconButton
        label={say(`Remove environment ${name}`, `删除运行环境 ${name}`)}
        disabled={isBusy || state === 'building'}
        onClick={() => setAsking(true)}
      >
        <Trash2 size={16} aria-hidden />
      </IconButton>
      <Confirm
        isOpen={isAsking}
        title={say('Remove this environment?', '删除此运行环境？')}
        description={say(
          `This frees ${bytesText(bytes)}. Hob rebuilds the environment when a script needs it, which takes a while.`,
          `将释放 ${bytesText(bytes)}。脚本需要时会重新创建，需要一些时间。`,
        )}
        action={say('Remove', '删除')}
        onConfirm={onRemove}
        onClose={() => setAsking(false)}
      />
    </li>
  );
}

function nameOf({ made_with: madeWith, kind }: Environment, say: Say): string {
  return (
    madeWith ??
    (kind === 'node' ? say('Node packages', 'Node 依赖包') : say('Python packages', 'Python 依赖包'))
  );
}

function stateWord(state: Environment['state'], say: Say): string {
  const words: Readonly<Record<Environment['state'], string>> = {
    ready: say('Ready', '就绪'),
    building: say('Building', '创建中'),
    damaged: say('Damaged', '已损坏'),
  };
  return words[state];
}
