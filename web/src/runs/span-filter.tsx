import { useState } from 'react';

import { type Say, tagOf, useLanguage } from '../language/language.tsx';
import { ChoiceList } from '../parts/choice-list.tsx';
import { classes } from '../parts/classes.ts';
import { FilterPopover } from '../parts/filter-popover.tsx';
import { inputClasses } from '../parts/input.ts';
import type { Span } from './run-filters.ts';

interface SpanFilterProps {
  readonly span: Span;
  readonly onChange: (span: Span) => void;
}

/** A time filter with common ranges and a custom range of days. */
export function SpanFilter({ span, onChange }: SpanFilterProps) {
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
