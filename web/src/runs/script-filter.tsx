import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { outcomesQuery, scriptsQuery } from '../api/queries.ts';
import type { Script } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { ChoiceList } from '../parts/choice-list.tsx';
import { FilterPopover } from '../parts/filter-popover.tsx';
import { findScripts } from '../scripts/find-scripts.ts';
import { ScriptIcon } from '../scripts/script-icon.tsx';

interface ScriptFilterProps {
  readonly scriptId: string | null;
  readonly onChange: (scriptId: string | null) => void;
}

const mostShown = 50;

export function ScriptFilter({ scriptId, onChange }: ScriptFilterProps) {
  const say = useSay();
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState('');
  const { data } = useQuery(scriptsQuery);
  const scripts = data?.scripts ?? [];
  const found = isOpen ? findScripts(oneOfEachId(scripts), text).slice(0, mostShown) : [];
  const known = scripts.find(({ id }) => id === scriptId)?.name ?? null;
  const former = useFormerName(known === null && data !== undefined ? scriptId : null);
  return (
    <FilterPopover
      label={say('Script', '脚本')}
      chosen={scriptId === null ? null : (known ?? former ?? scriptId.slice(0, 8))}
      onClear={() => onChange(null)}
      isOpen={isOpen}
      onOpenChange={(open) => {
        setOpen(open);
        setText('');
      }}
    >
      <ChoiceList
        label={say('Script', '脚本')}
        choices={found.map((script) => ({
          value: script.id,
          name: script.name,
          icon: <ScriptIcon script={script} isSmall />,
        }))}
        chosen={scriptId === null ? [] : [scriptId]}
        onChoose={(id) => {
          onChange(id === scriptId ? null : id);
          setOpen(false);
        }}
        search={{ text, onChange: setText }}
      />
    </FilterPopover>
  );
}

/** Scripts with the same id share their runs, so only one of them is listed. */
function oneOfEachId(scripts: readonly Script[]): Script[] {
  return [...new Map(scripts.map((script) => [script.id, script])).values()];
}

/** The name of a deleted script, taken from its last run. */
function useFormerName(scriptId: string | null): string | null {
  const { data } = useQuery({
    ...outcomesQuery(1, [scriptId ?? '']),
    enabled: scriptId !== null,
  });
  return data?.items[0]?.script_name ?? null;
}
