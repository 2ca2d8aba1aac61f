import { type ReactNode, useId } from 'react';

import type { Param } from '../../api/wire.ts';
import { useSay } from '../../language/language.tsx';
import { Field } from '../../parts/field.tsx';
import { inputClasses } from '../../parts/input.ts';
import type { TextControl } from './text-control.ts';

interface FieldGroupProps {
  readonly label: ReactNode;
  readonly description?: string | null;
  readonly error?: string | null;
  readonly isRequired?: boolean;
  readonly children: ReactNode;
}

/** More choices are shown as a dropdown list. */
const mostBeside = 4;
const mostCharacters = 60;

/** A choice as radio buttons if there are few short options, or else as a dropdown list. */
export function ChoiceField(props: TextControl) {
  const { choices, choice_labels } = props.param;
  const characters = choices.reduce((sum, choice) => sum + (choice_labels[choice] ?? choice).length, 0);
  const isFew = choices.length <= mostBeside && characters <= mostCharacters;
  // Radio buttons cannot be unselected, so an optional choice needs the list.
  return isFew && !mayBeNone(props.param) ? <RadioChoice {...props} /> : <ListChoice {...props} />;
}

function RadioChoice({ param, text, error, onChange }: TextControl) {
  const group = useId();
  const { name, label, description, required, choices, choice_labels } = param;
  return (
    <FieldGroup label={label} description={description} error={error} isRequired={required}>
      <div className="flex flex-wrap gap-2">
        {choices.map((choice) => (
          <label
            key={choice}
            className="flex h-9 cursor-pointer items-center gap-2 rounded-lg border border-line-strong bg-surface px-3 select-none hover:bg-hover has-checked:border-accent has-checked:bg-accent-ground has-checked:text-accent has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name={group}
              value={choice}
              checked={text === choice}
              data-field={name}
              onChange={() => onChange(choice)}
              className="accent-accent outline-none"
            />
            {choice_labels[choice] ?? choice}
          </label>
        ))}
      </div>
    </FieldGroup>
  );
}

function ListChoice({ param, text, error, onChange }: TextControl) {
  const say = useSay();
  const { name, label, description, required, choices, choice_labels } = param;
  return (
    <Field label={label} description={description} error={error} isRequired={required}>
      {({ id, describedBy, isInvalid }) => (
        <select
          id={id}
          value={text}
          data-field={name}
          aria-describedby={describedBy}
          aria-invalid={isInvalid}
          aria-required={required}
          onChange={({ target }) => onChange(target.value)}
          className={`${inputClasses} max-w-md`}
        >
          {(text === '' || mayBeNone(param)) && <option value="">{say('Not selected', '未选择')}</option>}
          {text !== '' && !choices.includes(text) && <option value={text}>{text}</option>}
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice_labels[choice] ?? choice}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

function mayBeNone({ required, default: preset, choices }: Param): boolean {
  return !required && !choices.some((choice) => choice === preset);
}

/** Like `Field`, for a group of controls with one value. */
function FieldGroup({ label, description, error, isRequired, children }: FieldGroupProps) {
  const id = useId();
  const text = error ?? description ?? '';
  return (
    <fieldset aria-describedby={text === '' ? undefined : id} className="flex min-w-0 flex-col gap-1.5">
      <legend className="mb-1.5 font-medium">
        {label}
        {isRequired === true && (
          <span aria-hidden className="ml-1 text-bad">
            *
          </span>
        )}
      </legend>
      {children}
      {text !== '' && (
        <p id={id} className={error ? 'text-[13px] text-bad' : 'text-[13px] text-muted'}>
          {text}
        </p>
      )}
    </fieldset>
  );
}
