import type { TriggerChecked } from '../../api/wire.ts';
import { useSay } from '../../language/language.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Ago } from '../../parts/time.tsx';
import { SlotTime } from '../slot-time.tsx';
import { TriggerProblems } from '../trigger-parts.tsx';
import type { TriggerDraft } from './trigger-draft.ts';

interface TriggerPreviewProps {
  readonly draft: TriggerDraft;
  /** Undefined until the service has checked the fields. */
  readonly checked: TriggerChecked | undefined;
  readonly error: Error | null;
  /** Mistakes that belong to no control of the form. */
  readonly problems: TriggerChecked['problems'];
}

/** The effect of the trigger, in words and dates. */
export function TriggerPreview({ draft, checked, error, problems }: TriggerPreviewProps) {
  const say = useSay();
  const zone = draft.texts.timezone || null;
  return (
    <Panel title={say('Preview', '预览')} className="lg:sticky lg:top-5">
      {error !== null && <Failure error={error} />}
      <output className="block">
        {checked === undefined ? (
          <span className="text-muted">{say('Choose a script first.', '请先选择脚本。')}</span>
        ) : checked.words === '' ? (
          <span className="text-muted">
            {say('Shown once all fields are filled in correctly.', '各字段填写正确后显示。')}
          </span>
        ) : (
          <span className="font-medium wrap-anywhere">{checked.words}</span>
        )}
      </output>
      {checked !== undefined && checked.next.length > 0 && (
        <ol className="mt-2 flex flex-col gap-1 text-[13px]">
          {checked.next.map((time) => (
            <li key={time} className="flex justify-between gap-3">
              <SlotTime time={time} zone={zone} />
              <span className="shrink-0 text-xs leading-5 text-muted">
                <Ago time={time} />
              </span>
            </li>
          ))}
        </ol>
      )}
      {problems.length > 0 && (
        <div role="alert" className="mt-3 flex flex-col gap-1">
          <TriggerProblems problems={problems} />
        </div>
      )}
    </Panel>
  );
}
