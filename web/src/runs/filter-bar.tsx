import { useState } from 'react';

import { useSay } from '../language/language.tsx';
import { Button } from '../parts/button.tsx';
import { type Choice, ChoiceList } from '../parts/choice-list.tsx';
import { FilterPopover } from '../parts/filter-popover.tsx';
import { StateIcon, stateName } from '../parts/run-state.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { useTypedText } from '../parts/use-typed-text.ts';
import { endName, originName } from '../parts/words-of-runs.ts';
import { allEnds, allOrigins, allStates, isFiltered, type RunFilters } from './run-filters.ts';
import { ScriptFilter } from './script-filter.tsx';
import { SpanFilter } from './span-filter.tsx';

interface ChoiceFilterProps<Value extends string> {
  readonly label: string;
  readonly choices: readonly (Choice & { readonly value: Value })[];
  readonly chosen: readonly Value[];
  readonly onChange: (chosen: readonly Value[]) => void;
}

interface FilterBarProps {
  readonly filters: RunFilters;
  /** `isTyping`: replaces the entry in the browser history, so that Back does not step through single letters. */
  readonly onChange: (change: Partial<RunFilters>, options?: { isTyping: boolean }) => void;
  readonly onClear: () => void;
}

export function FilterBar({ filters, onChange, onClear }: FilterBarProps) {
  const say = useSay();
  const [text, setText] = useTypedText(filters.text, (typed) =>
    onChange({ text: typed }, { isTyping: true }),
  );
  return (
    <div className="mb-4">
      <div className="-mb-2">
        <SearchField
          value={text}
          onChange={setText}
          label={say('Search runs', '搜索运行记录')}
          placeholder={say('Search by script or message', '按脚本或消息搜索')}
        />
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <ScriptFilter scriptId={filters.scriptId} onChange={(scriptId) => onChange({ scriptId })} />
        <ChoiceFilter
          label={say('State', '状态')}
          choices={allStates.map((state) => ({
            value: state,
            name: stateName(state, say),
            icon: <StateIcon state={state} />,
          }))}
          chosen={filters.states}
          onChange={(states) => onChange({ states })}
        />
        <ChoiceFilter
          label={say('End cause', '结束方式')}
          choices={allEnds.map((end) => ({ value: end, name: endName(end, say) }))}
          chosen={filters.ends}
          onChange={(ends) => onChange({ ends })}
        />
        <ChoiceFilter
          label={say('Origin', '来源')}
          choices={allOrigins.map((origin) => ({ value: origin, name: originName(origin, say) }))}
          chosen={filters.origins}
          onChange={(origins) => onChange({ origins })}
        />
        <SpanFilter span={filters.span} onChange={(span) => onChange({ span })} />
        {isFiltered(filters) && (
          <Button look="quiet" onClick={onClear}>
            {say('Clear all', '全部清除')}
          </Button>
        )}
      </div>
    </div>
  );
}

/** A filter with several choices. It stays open after a choice. */
function ChoiceFilter<Value extends string>(props: ChoiceFilterProps<Value>) {
  const { label, choices, chosen, onChange } = props;
  const [isOpen, setOpen] = useState(false);
  const names = choices.filter(({ value }) => chosen.includes(value)).map(({ name }) => name);
  const toggle = (value: string) =>
    onChange(
      choices.map((choice) => choice.value).filter((each) => chosen.includes(each) !== (each === value)),
    );
  return (
    <FilterPopover
      label={label}
      chosen={names.length === 0 ? null : names.join(', ')}
      onClear={() => onChange([])}
      isOpen={isOpen}
      onOpenChange={setOpen}
    >
      <ChoiceList label={label} choices={choices} chosen={chosen} onChoose={toggle} />
    </FilterPopover>
  );
}
