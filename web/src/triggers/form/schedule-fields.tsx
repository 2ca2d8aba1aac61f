import { useId } from 'react';

import { type Say, tagOf, useLanguage, useSay } from '../../language/language.tsx';
import { Field, inputClasses, optionClasses } from '../../parts/field.tsx';
import { ChoiceSetting, type FormPart, MoreSettings, Select, TextSetting } from './form-part.tsx';
import { PickOne } from './pick-one.tsx';
import { cronOf, type Rule, type RuleMode, ruleModes, type Unit, units } from './schedule-rule.ts';

/** When a schedule fires. */
export function ScheduleFields(part: FormPart) {
  const say = useSay();
  const { draft, change, errorOf } = part;
  const { rule, texts } = draft;
  const error = errorOf('cron') ?? errorOf('every');
  const set = (some: Partial<Rule>) =>
    change(rule.mode === 'interval' ? 'every' : 'cron', { rule: { ...rule, ...some } });
  const names: Readonly<Record<RuleMode, string>> = {
    daily: say('Every day', '每天'),
    weekly: say('On days of the week', '每周的某几天'),
    monthly: say('On a day of the month', '每月的某一天'),
    interval: say('Every few minutes, hours or days', '每隔一段时间'),
    cron: say('Cron expression', 'Cron 表达式'),
  };
  const more = ['missed', 'missed_within', 'overlap', 'jitter'];
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={say('Repeat', '重复')}>
          {({ id }) => (
            <Select
              id={id}
              value={rule.mode}
              choices={ruleModes.map((mode) => [mode, names[mode]])}
              onChange={({ target }) => {
                const mode = ruleModes.find((one) => one === target.value) ?? 'daily';
                // The expression starts as what was chosen before.
                set({ mode, ...(mode === 'cron' && { cron: cronOf(rule) || rule.cron }) });
              }}
            />
          )}
        </Field>
        <RuleFields rule={rule} error={error} set={set} />
      </div>
      {rule.mode === 'weekly' && <DayChoice days={rule.days} onChange={(days) => set({ days })} />}
      {rule.mode !== 'interval' && (
        <PickOne
          label={say('Time zone', '时区')}
          field="timezone"
          shown={texts.timezone || say('That of the machine', '本机时区')}
          chosen={texts.timezone ?? ''}
          error={errorOf('timezone')}
          find={(text) => zonesWith(text, say)}
          onChoose={(timezone) => change('timezone', { texts: { ...texts, timezone } })}
        />
      )}
      <MoreSettings isOpen={more.some((name) => errorOf(name) !== null)}>
        <ChoiceSetting
          part={part}
          name="missed"
          label={say('Missed times', '错过的时间')}
          description={say('While Hob was not running or the computer slept', 'Hob 未运行或电脑睡眠期间')}
          choices={[
            ['once', say('Run once afterwards', '之后补一次')],
            ['skip', say('Skip them', '跳过')],
            ['all', say('Run for each of them', '逐一补上')],
          ]}
        />
        <TextSetting
          part={part}
          name="missed_within"
          label={say('Make up for at most', '最多补多久以前的')}
          placeholder="24h"
        />
        <ChoiceSetting
          part={part}
          name="overlap"
          label={say('If the previous run has not ended', '上一次运行尚未结束时')}
          choices={[
            ['skip', say('Skip this time', '跳过这次')],
            ['queue', say('Wait for its end', '等它结束')],
            ['allow', say('Run both', '同时运行')],
          ]}
        />
        <TextSetting
          part={part}
          name="jitter"
          label={say('Delay by up to', '最多延迟')}
          description={say(
            'A fixed part of it, so that many schedules do not start at once',
            '取其中固定的一部分，避免多个计划同时启动',
          )}
          placeholder="0s"
        />
      </MoreSettings>
    </>
  );
}

interface RuleFieldsProps {
  readonly rule: Rule;
  readonly error: string | null;
  readonly set: (some: Partial<Rule>) => void;
}

/** The fields of the chosen mode. */
function RuleFields({ rule, error, set }: RuleFieldsProps) {
  const say = useSay();
  const { mode, time, date, amount, unit, cron } = rule;
  const unitNames: Readonly<Record<Unit, string>> = {
    s: say('seconds', '秒'),
    m: say('minutes', '分钟'),
    h: say('hours', '小时'),
    d: say('days', '天'),
  };
  if (mode === 'interval')
    return (
      <Field label={say('Every', '每隔')} error={error}>
        {({ id, describedBy, isInvalid }) => (
          <div className="flex gap-2">
            <input
              id={id}
              value={amount}
              inputMode="numeric"
              data-field="every"
              aria-describedby={describedBy}
              aria-invalid={isInvalid}
              onChange={({ target }) => set({ amount: target.value })}
              className={`${inputClasses} max-w-24 tabular-nums`}
            />
            <Select
              value={unit}
              aria-label={say('Unit', '单位')}
              choices={units.map((one) => [one, unitNames[one]])}
              onChange={({ target }) => set({ unit: units.find((one) => one === target.value) ?? 'm' })}
            />
          </div>
        )}
      </Field>
    );
  if (mode === 'cron')
    return (
      <Field label={say('Minute, hour, day, month, weekday', '分 时 日 月 星期')} error={error} isRequired>
        {({ id, describedBy, isInvalid }) => (
          <input
            id={id}
            value={cron}
            placeholder="30 2 * * *"
            data-field="cron"
            autoComplete="off"
            spellCheck={false}
            aria-describedby={describedBy}
            aria-invalid={isInvalid}
            onChange={({ target }) => set({ cron: target.value })}
            className={`${inputClasses} font-mono`}
          />
        )}
      </Field>
    );
  return (
    <div className="flex gap-4">
      {mode === 'monthly' && (
        <Field label={say('Day', '日')} error={error}>
          {({ id, describedBy, isInvalid }) => (
            <input
              id={id}
              value={date}
              inputMode="numeric"
              data-field="cron"
              aria-describedby={describedBy}
              aria-invalid={isInvalid}
              onChange={({ target }) => set({ date: target.value })}
              className={`${inputClasses} max-w-20 tabular-nums`}
            />
          )}
        </Field>
      )}
      <Field label={say('At', '时间')} error={mode === 'monthly' ? null : error}>
        {({ id, describedBy, isInvalid }) => (
          <input
            id={id}
            type="time"
            value={time}
            data-field="cron"
            aria-describedby={describedBy}
            aria-invalid={isInvalid}
            onChange={({ target }) => set({ time: target.value })}
            className={inputClasses}
          />
        )}
      </Field>
    </div>
  );
}

/** Monday first. */
const weekdays = [1, 2, 3, 4, 5, 6, 0];

function DayChoice({ days, onChange }: { days: readonly number[]; onChange: (days: number[]) => void }) {
  const { say, language } = useLanguage();
  const id = useId();
  // The 4th of January 1970 was a Sunday.
  const nameOf = (day: number, weekday: 'short' | 'long') =>
    new Date(1970, 0, 4 + day, 12).toLocaleDateString(tagOf(language), { weekday });
  return (
    <fieldset className="flex flex-wrap gap-1.5">
      <legend className="mb-1.5 font-medium">{say('Days', '日期')}</legend>
      {weekdays.map((day) => (
        <label key={day} htmlFor={`${id}-${day}`} className={optionClasses}>
          <input
            id={`${id}-${day}`}
            type="checkbox"
            aria-label={nameOf(day, 'long')}
            checked={days.includes(day)}
            onChange={({ target }) =>
              onChange(target.checked ? [...days, day] : days.filter((one) => one !== day))
            }
            className="sr-only"
          />
          {nameOf(day, 'short')}
        </label>
      ))}
    </fieldset>
  );
}

const mostZones = 50;

function zonesWith(text: string, say: Say) {
  const sought = text.trim().toLowerCase().replaceAll(' ', '_');
  const machine = { value: '', name: say('That of the machine', '本机时区') };
  const zones = ['UTC', ...Intl.supportedValuesOf('timeZone')]
    .filter((zone) => zone.toLowerCase().includes(sought))
    .slice(0, mostZones)
    .map((zone) => ({ value: zone, name: zone }));
  return sought === '' ? [machine, ...zones] : zones;
}
