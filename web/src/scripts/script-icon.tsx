import { useState } from 'react';

import type { Script } from '../api/wire.ts';
import { classes } from '../parts/classes.ts';

interface ScriptIconProps {
  readonly script: Pick<Script, 'id' | 'name' | 'icon'>;
  readonly isSmall?: boolean;
}

/** Its own icon; else the beginning of its name on a colour that it keeps. */
export function ScriptIcon({ script, isSmall = false }: ScriptIconProps) {
  const { id, name, icon } = script;
  const [isMissing, setMissing] = useState(false);
  const size = isSmall ? 'size-6 rounded-md text-xs' : 'size-10 rounded-lg text-base';
  if (icon !== null && !isMissing)
    return (
      <img
        src={`/api/scripts/${id}/icon`}
        alt=""
        loading="lazy"
        className={classes('shrink-0 object-contain', size)}
        onError={() => setMissing(true)}
      />
    );
  const hue = Number.parseInt(id.slice(0, 6), 16) % 360;
  return (
    <span
      aria-hidden
      className={classes(
        'grid shrink-0 place-items-center bg-[oklch(0.93_0.045_var(--hue))] font-semibold text-[oklch(0.4_0.09_var(--hue))] dark:bg-[oklch(0.32_0.05_var(--hue))] dark:text-[oklch(0.86_0.07_var(--hue))]',
        size,
      )}
      style={{ '--hue': hue }}
    >
      {[...name.trim()][0]?.toUpperCase() ?? '?'}
    </span>
  );
}
