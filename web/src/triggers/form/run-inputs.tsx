import type { Script } from '../../api/wire.ts';
import { useSay } from '../../language/language.tsx';
import { Panel } from '../../parts/panel.tsx';
import { draftOf } from '../../script/form/draft.ts';
import { MainInputField } from '../../script/form/main-input-field.tsx';
import { type FieldErrors, inputField } from '../../script/form/make-call.ts';
import { ParamField } from '../../script/form/param-field.tsx';
import { draftIn, shownParams } from '../../script/form/shown-params.ts';
import type { FormPart } from './form-part.tsx';
import { askedOf } from './trigger-draft.ts';

interface RunInputsProps {
  readonly part: FormPart;
  readonly script: Script | null;
  /** Null until the user has tried to save. */
  readonly fieldErrors: FieldErrors | null;
}

/** The main input and the params of each run. Renders nothing if the script needs none. */
export function RunInputs({ part: { draft, change }, script, fieldErrors }: RunInputsProps) {
  const say = useSay();
  if (script === null) return null;
  const { input, params } = askedOf(script, draft);
  const { values } = draft;
  const shown = shownParams(params, values.drafts);
  if (input === null && shown.length === 0) return null;
  const hasSecret = shown.some(({ name, secret }) => secret && Object.hasOwn(values.drafts, name));
  return (
    <Panel title={say('Values for each run', '每次运行的参数')}>
      <div className="flex flex-col gap-5 pt-1">
        {input !== null && (
          <MainInputField
            input={input}
            text={values.input}
            fieldError={fieldErrors?.get(inputField)}
            onChange={(text) => change('data', { values: { ...values, input: text } })}
          />
        )}
        {shown.map((param) => (
          <ParamField
            key={param.name}
            param={param}
            draft={draftIn(values.drafts, param)}
            fieldError={fieldErrors?.get(param.name)}
            onChange={(value) => {
              const { [param.name]: _, ...others } = values.drafts;
              const isDefault = draftOf(param, param.default) === value;
              const drafts = isDefault ? others : { ...others, [param.name]: value };
              change('params', { values: { ...values, drafts } });
            }}
          />
        ))}
        {hasSecret && (
          <p className="rounded-lg bg-warn-ground px-3 py-2 text-[13px] text-warn">
            {say(
              'The secret params of a trigger are stored as readable text in triggers.toml.',
              '触发器的密文参数会以明文保存在 triggers.toml 中。',
            )}
          </p>
        )}
      </div>
    </Panel>
  );
}
