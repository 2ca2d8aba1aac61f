import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useState } from 'react';

import { outcomesQuery, scriptsQuery } from '../api/queries.ts';
import { endCauses, runStates, type Script } from '../api/wire.ts';
import { type Say, tagOf, useLanguage, useSay } from '../language/language.tsx';
import { Button } from '../parts/button.tsx';
import { classes } from '../parts/classes.ts';
import { inputClasses } from '../parts/field.tsx';
import { type Choice, ChoiceList, FilterPopover } from '../parts/filter-popover.tsx';
import { StateIcon } from '../parts/run-state.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { useTypedText } from '../parts/use-typed-text.ts';
import { endName, originName, stateName } from '../parts/words-of-runs.ts';
import { findScripts } from '../scripts/find-scripts.ts';
import { ScriptIcon } from '../scripts/script-icon.tsx';
import { isFiltered, orderedOrigins, type RunFilters, type Span } from './run-filters.ts';

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
          choices={runStates.map((state) => ({
            value: state,
            name: stateName(state, say),
            icon: <StateIcon state={state} />,
          }))}
          chosen={filters.states}
          onChange={(states) => onChange({ states })}
        />
        <ChoiceFilter
          label={say('End cause', '结束方式')}
          choices={endCauses.map((end) => ({ value: end, name: endName(end, say) }))}
          chosen={filters.ends}
          onChange={(ends) => onChange({ ends })}
        />
        <ChoiceFilter
          label={say('Origin', '来源')}
          choices={orderedOrigins.map((origin) => ({ value: origin, name: originName(origin, say) }))}
          chosen={filters.origins}
          onChange={(origins) => onChange({ origins })}
        />
        <SpanFilter span={filters.span} onChange={(span) => onChange({ span })} />
        {filters.triggerId !== null && (
          <TriggerFilter triggerId={filters.triggerId} onClear={() => onChange({ triggerId: null })} />
        )}
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

interface ScriptFilterProps {
  readonly scriptId: string | null;
  readonly onChange: (scriptId: string | null) => void;
}

const mostShown = 50;

function ScriptFilter({ scriptId, onChange }: ScriptFilterProps) {
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

/** The runs of one trigger. The page of the trigger sets this filter. */
function TriggerFilter({ triggerId, onClear }: { triggerId: string; onClear: () => void }) {
  const say = useSay();
  return (
    <span className="inline-flex h-9 max-w-72 min-w-0 items-center rounded-lg border border-accent bg-accent-ground pl-3 text-accent">
      <span className="truncate">{say(`Trigger: ${triggerId}`, `触发器：${triggerId}`)}</span>
      <button
        type="button"
        aria-label={say('Clear filter: Trigger', '清除：触发器')}
        onClick={onClear}
        className="grid size-9 shrink-0 place-items-center rounded-r-lg hover:bg-hover"
      >
        <X size={14} aria-hidden />
      </button>
    </span>
  );
}

interface SpanFilterProps {
  readonly span: Span;
  readonly onChange: (span: Span) => void;
}

/** A time filter with common ranges and a custom range of days. */
function SpanFilter({ span, onChange }: SpanFilterProps) {
  const { say, language } = useLanguage();
  const [isOpen, setOpen] = useState(false);
  const label = say('Time', '时间');
  const between = span.kind === 'between' ? span : { from: null, to: null };
  const setDay = (day: { from: string | null } | { to: string | null }) => {
    const { from, to } = { ...between, ...day };
    onChange(from === null && to === null ? { kind: 'any' } : { kind: 'between', from, to });
  };
  const days = [1, 7, 30];
  return (
    <FilterPopover
      label={label}
      chosen={spanName(span, say, tagOf(language))}
      onClear={() => onChange({ kind: 'any' })}
      isOpen={isOpen}
      onOpenChange={setOpen}
    >
      <ChoiceList
        label={label}
        choices={days.map((count) => ({ value: String(count), name: daysName(count, say) }))}
        chosen={span.kind === 'last' ? [String(span.days)] : []}
        onChoose={(value) => {
          onChange({ kind: 'last', days: Number(value) });
          setOpen(false);
        }}
      />
      <div className="flex flex-col gap-2 border-t border-line p-3">
        <DayField
          label={say('From', '从')}
          day={between.from}
          max={between.to}
          onChange={(from) => setDay({ from })}
        />
        <DayField
          label={say('To', '到')}
          day={between.to}
          min={between.from}
          onChange={(to) => setDay({ to })}
        />
      </div>
    </FilterPopover>
  );
}

interface DayFieldProps {
  readonly label: string;
  readonly day: string | null;
  readonly min?: string | null;
  readonly max?: string | null;
  readonly onChange: (day: string | null) => void;
}

function DayField({ label, day, min, max, onChange }: DayFieldProps) {
  return (
    <label className="flex items-center gap-3 text-[13px] text-muted">
      <span className="w-10 shrink-0">{label}</span>
      <input
        type="date"
        value={day ?? ''}
        min={min ?? undefined}
        max={max ?? undefined}
        onChange={({ target }) => onChange(target.value === '' ? null : target.value)}
        className={classes(inputClasses, 'text-ink')}
      />
    </label>
  );
}

function daysName(days: number, say: Say): string {
  return days === 1 ? say('Today', '今天') : say(`Last ${days} days`, `最近 ${days} 天`);
}

function spanName(span: Span, say: Say, tag: string): string | null {
  if (span.kind === 'any') return null;
  if (span.kind === 'last') return daysName(span.days, say);
  if (span.kind === 'moments') return momentsName(span, say, tag);
  const { from, to } = span;
  const name = (day: string) =>
    new Date(`${day}T12:00:00`).toLocaleDateString(tag, { month: 'short', day: 'numeric' });
  if (from !== null && to !== null) return from === to ? name(from) : `${name(from)} – ${name(to)}`;
  if (from !== null) return say(`From ${name(from)}`, `${name(from)}起`);
  return to === null ? null : say(`Until ${name(to)}`, `${name(to)}止`);
}

function momentsName({ since, until }: Span & { kind: 'moments' }, say: Say, tag: string): string | null {
  const name = (time: string) =>
    new Date(time).toLocaleString(tag, {
      month: 'short',
      day: 'numeric',
      hour: 'numeric',
      minute: '2-digit',
    });
  if (since !== null && until !== null) return `${name(since)} – ${name(until)}`;
  if (since !== null) return say(`From ${name(since)}`, `${name(since)}起`);
  return until === null ? null : say(`Until ${name(until)}`, `${name(until)}止`);
}
