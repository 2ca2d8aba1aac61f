import { useState } from 'react';

import type { Script } from '../api/wire.ts';
import { classes } from '../parts/classes.ts';

interface ScriptIconProps {
  readonly script: Pick<Script, 'id' | 'name' | 'icon'>;
  readonly isSmall?: boolean;
}

/** The icon of a script, or else its first letter on a colour derived from its id. */
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
  const hue = hueOf(id);
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

/** One of twelve hues, from the whole id, because ids of related scripts may start with the same characters. */
function hueOf(id: string): number {
  let sum = 0;
  for (const character of id) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9973;
  return (sum % 12) * 30;
}
