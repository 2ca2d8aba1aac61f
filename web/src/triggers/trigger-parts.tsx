import { Ban, CircleAlert, CircleCheck, Plus, TriangleAlert } from 'lucide-react';
import { Link } from 'wouter';

import type { Firing, Trigger, TriggerSuggestion } from '../api/wire.ts';
import { triggerKinds } from '../api/wire.ts';
import { useSay } from '../language/language.tsx';
import { buttonClasses } from '../parts/button.tsx';
import { classes } from '../parts/classes.ts';
import { CodeText } from '../parts/code.tsx';
import { Ago } from '../parts/time.tsx';
import {
  kindIcons,
  kindName,
  newKindName,
  outcomeName,
  type ShownState,
  shownState,
  stateName,
  triggerWords,
} from './words-of-triggers.ts';

const stateInks: Readonly<Record<ShownState, string>> = {
  on: 'text-good bg-good-ground',
  problem: 'text-warn bg-warn-ground',
  off: 'text-muted bg-hover',
  broken: 'text-bad bg-bad-ground',
  'script-missing': 'text-bad bg-bad-ground',
};

export function TriggerBadge({ trigger }: { trigger: Trigger }) {
  const say = useSay();
  const state = shownState(trigger);
  return (
    <span
      className={classes(
        'inline-block rounded-full px-2.5 py-0.5 text-xs font-medium whitespace-nowrap',
        stateInks[state],
      )}
    >
      {stateName(state, say)}
    </span>
  );
}

/** Why a trigger cannot start runs, with the next steps. */
export function TriggerProblems({ problems }: { problems: Trigger['problems'] }) {
  return problems.map(({ field, message, advice }) => (
    <p key={`${field} ${message}`} className="flex items-start gap-2 text-[13px]">
      <TriangleAlert size={14} aria-hidden className="mt-0.5 shrink-0 text-bad" />
      <span className="min-w-0 wrap-anywhere">
        <span className="text-bad">{message}. </span>
        <CodeText text={advice} />
      </span>
    </p>
  ));
}

const outcomeLooks = {
  fired: { icon: CircleCheck, ink: 'text-good' },
  skipped: { icon: Ban, ink: 'text-muted' },
  refused: { icon: CircleAlert, ink: 'text-bad' },
} as const;

/** The outcome of a firing. */
export function FiringOutcome({ firing: { outcome } }: { firing: Firing }) {
  const say = useSay();
  const { icon: Icon, ink } = outcomeLooks[outcome];
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap">
      <Icon size={14} aria-hidden className={classes('shrink-0', ink)} />
      {outcomeName(outcome, say)}
    </span>
  );
}

/** The last firing in a few words, with a link to its run. */
export function LastFiring({ firing }: { firing: Firing | null }) {
  const say = useSay();
  if (firing === null) return say('Not fired yet', '尚未触发');
  const { run_id, message, recorded_at } = firing;
  return (
    <span className="inline-flex flex-wrap items-center gap-x-1.5">
      <FiringOutcome firing={firing} />
      {run_id === null ? (
        <Ago time={recorded_at} />
      ) : (
        <Link href={`/runs/${run_id}`} className="text-accent hover:underline">
          <Ago time={recorded_at} />
        </Link>
      )}
      {message !== null && <span>({message})</span>}
    </span>
  );
}

/** Links to the forms for new triggers. */
export function NewTriggerLinks({ isPrimary = false }: { isPrimary?: boolean }) {
  const say = useSay();
  return triggerKinds.map((kind) => (
    <Link
      key={kind}
      href={`/triggers/new/${kind}`}
      className={buttonClasses(isPrimary && kind === 'schedule' ? 'primary' : 'plain')}
    >
      <Plus size={15} aria-hidden />
      {newKindName(kind, say)}
    </Link>
  ));
}

/** A trigger that a manifest suggests, with a link to the filled form. */
export function SuggestionRow({ suggestion }: { suggestion: TriggerSuggestion }) {
  const say = useSay();
  const { script_id, script_name, kind, name } = suggestion;
  const Icon = kindIcons[kind];
  return (
    <li className="flex items-center gap-3 py-1.5">
      <Icon size={17} role="img" aria-label={kindName(kind, say)} className="shrink-0 text-muted" />
      <p className="min-w-0 grow wrap-anywhere">
        <span className="font-medium">{script_name}</span>: {name}
        <span className="block text-[13px] text-muted">{triggerWords(suggestion, say)}</span>
      </p>
      <Link
        href={`/triggers/new/${kind}?${new URLSearchParams({ script: script_id, from: name })}`}
        aria-label={say(`Set up: ${script_name}, ${name}`, `设置：${script_name}，${name}`)}
        className={buttonClasses('plain', 'small')}
      >
        {say('Set up', '设置')}
      </Link>
    </li>
  );
}
