import { Star, Workflow } from 'lucide-react';

import type { Script } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { PackageMenu } from '../packages/package-menu.tsx';
import { IconButton } from '../parts/button.tsx';
import { useFavourites } from '../scripts/favourites.ts';
import { ScriptIcon } from '../scripts/script-icon.tsx';

/** The name, description and actions of a script. */
export function ScriptHeader({ script }: { script: Script }) {
  const say = useSay();
  const [favourites, toggle] = useFavourites();
  const { id, name, version, desc, language, node } = script;
  const isFavourite = favourites.has(id);
  return (
    <header className="mb-5 flex items-start gap-4">
      <ScriptIcon script={script} />
      <div className="min-w-0 grow">
        <h1 className="text-xl font-semibold tracking-tight break-words">{name}</h1>
        {desc !== null && <p className="max-w-prose break-words text-muted">{desc}</p>}
        <p className="mt-1.5 flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
          <span className="rounded bg-hover px-1.5 py-px">{language}</span>
          {version !== null && <span>{version}</span>}
          {node && (
            <span
              className="inline-flex items-center gap-1"
              title={say('Other scripts can call this script', '可以被其他脚本调用')}
            >
              <Workflow size={13} aria-hidden />
              {say('node', '节点')}
            </span>
          )}
        </p>
      </div>
      <div className="flex shrink-0 gap-1">
        <IconButton
          label={say(`Favourite: ${name}`, `收藏：${name}`)}
          aria-pressed={isFavourite}
          onClick={() => toggle(id)}
          className={isFavourite ? 'text-accent!' : ''}
        >
          <Star size={17} aria-hidden fill={isFavourite ? 'currentColor' : 'none'} />
        </IconButton>
        <PackageMenu scriptId={id} />
      </div>
    </header>
  );
}
