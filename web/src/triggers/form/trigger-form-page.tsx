import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation, useSearch } from 'wouter';

import { HobError } from '../../api/hob.ts';
import { scriptsQuery, triggerQuery, triggersQuery } from '../../api/queries.ts';
import { type Script, type TriggerKind, type TriggerList, triggerKinds } from '../../api/wire.ts';
import { useSay } from '../../language/language.tsx';
import { Pending } from '../../parts/failure.tsx';
import { PageTitle } from '../../parts/page-title.tsx';
import { Segmented } from '../../parts/segmented.tsx';
import { NotFoundPage } from '../../shell/not-found-page.tsx';
import { kindName, newKindName } from '../words-of-triggers.ts';
import { draftOfFields, originOf, scriptNamed } from './trigger-draft.ts';
import { TriggerForm } from './trigger-form.tsx';

/** The form for a new trigger, filled in from a suggestion if the address names one. */
export function NewTriggerPage({ kind: named }: { kind: string }) {
  const say = useSay();
  const [, navigate] = useLocation();
  const search = new URLSearchParams(useSearch());
  const { data: triggers, error, refetch } = useQuery({ ...triggersQuery, refetchInterval: false });
  const { data: all } = useQuery(scriptsQuery);
  // Another kind would open an empty form, and the new secret is shown only once.
  const [isSecretShown, setSecretShown] = useState(false);
  const kind = triggerKinds.find((one) => one === named);
  if (kind === undefined) return <NotFoundPage />;
  const [scriptName, name] = [search.get('script') ?? '', search.get('from')];
  const choose = (chosen: TriggerKind) =>
    navigate(`/triggers/new/${chosen}?${new URLSearchParams({ script: scriptName })}`, { replace: true });
  return (
    <>
      <PageTitle title={newKindName(kind, say)}>
        {!isSecretShown && (
          <Segmented
            label={say('Kind', '类型')}
            value={kind}
            choices={triggerKinds.map((value) => ({ value, name: kindName(value, say) }))}
            onChange={choose}
          />
        )}
      </PageTitle>
      {triggers === undefined || all === undefined ? (
        <Pending error={error} refetch={refetch} />
      ) : (
        <NewForm
          kind={kind}
          scriptName={scriptName}
          name={name}
          triggers={triggers}
          scripts={all.scripts}
          onSecretShown={() => setSecretShown(true)}
        />
      )}
    </>
  );
}

interface NewFormProps {
  readonly kind: TriggerKind;
  readonly scriptName: string;
  /** The name of the suggestion. */
  readonly name: string | null;
  readonly triggers: TriggerList;
  readonly scripts: readonly Script[];
  readonly onSecretShown: () => void;
}

function NewForm({ kind, scriptName, name, triggers, scripts, onSecretShown }: NewFormProps) {
  const script = scriptNamed(scripts, scriptName);
  const suggestion = triggers.suggestions.find(
    (one) => one.script_id === script?.id && one.kind === kind && one.name === name,
  );
  const values = { ...suggestion?.values, script: script?.slug ?? scriptName };
  return (
    <TriggerForm
      known={null}
      first={draftOfFields(kind, values, script)}
      origin={{ written: {}, suggestion: suggestion ?? null }}
      scripts={scripts}
      taken={new Set(triggers.items.map(({ id }) => id))}
      onSecretShown={onSecretShown}
    />
  );
}

/** The form for an existing trigger. */
export function EditTriggerPage({ id }: { id: string }) {
  const say = useSay();
  const { data: trigger, error, refetch } = useQuery({ ...triggerQuery(id), refetchInterval: false });
  const { data: triggers } = useQuery({ ...triggersQuery, refetchInterval: false });
  const { data: all } = useQuery(scriptsQuery);
  if (error instanceof HobError && error.status === 404) return <NotFoundPage />;
  return (
    <>
      <PageTitle title={say(`Edit ${id}`, `编辑 ${id}`)} />
      {trigger === undefined || triggers === undefined || all === undefined ? (
        <Pending error={error} refetch={refetch} />
      ) : (
        <TriggerForm
          known={trigger}
          first={draftOfFields(
            trigger.kind ?? 'schedule',
            { ...trigger.values, script: trigger.script ?? '' },
            scriptNamed(all.scripts, trigger.script_id ?? ''),
          )}
          origin={originOf(trigger, triggers.suggestions)}
          scripts={all.scripts}
          taken={new Set()}
        />
      )}
    </>
  );
}
