import type { ReactNode } from 'react';

import { useSay } from '../../language/language.tsx';
import { classes } from '../../parts/classes.ts';
import { Field, inputClasses } from '../../parts/field.tsx';
import type { TriggerDraft } from './trigger-draft.ts';

/** The props of each part of the form. */
export interface FormPart {
  readonly draft: TriggerDraft;
  /** Changes the draft. `field` is the one that the user edits, by its name in triggers.toml. */
  readonly change: (field: string, change: Partial<TriggerDraft>) => void;
  /** The mistake of a field, if it is to be shown. */
  readonly errorOf: (field: string) => string | null;
}

interface SettingProps {
  readonly part: FormPart;
  /** The name of the text in the draft. */
  readonly name: string;
  /** The name of the field in triggers.toml, if it differs. */
  readonly field?: string;
  readonly label: string;
  readonly description?: string;
}

interface TextSettingProps extends SettingProps {
  readonly placeholder?: string;
  readonly isRequired?: boolean;
  /** A control beside the field. */
  readonly children?: ReactNode;
}

export function TextSetting({ part, name, field = name, placeholder, children, ...rest }: TextSettingProps) {
  const { draft, change, errorOf } = part;
  return (
    <Field {...rest} error={errorOf(field)}>
      {({ id, describedBy, isInvalid }) => (
        <div className="flex gap-2">
          <input
            id={id}
            value={draft.texts[name] ?? ''}
            placeholder={placeholder}
            data-field={field}
            autoComplete="off"
            spellCheck={false}
            aria-describedby={describedBy}
            aria-invalid={isInvalid}
            aria-required={rest.isRequired}
            onChange={({ target }) => change(field, { texts: { ...draft.texts, [name]: target.value } })}
            className={inputClasses}
          />
          {children}
        </div>
      )}
    </Field>
  );
}

interface ChoiceSettingProps extends SettingProps {
  readonly choices: readonly (readonly [value: string, name: string])[];
}

export function ChoiceSetting({ part, name, choices, ...rest }: ChoiceSettingProps) {
  const { draft, change, errorOf } = part;
  return (
    <Field {...rest} error={errorOf(name)}>
      {({ id, describedBy, isInvalid }) => (
        <Select
          id={id}
          value={draft.texts[name] ?? ''}
          data-field={name}
          aria-describedby={describedBy}
          aria-invalid={isInvalid}
          onChange={({ target }) => change(name, { texts: { ...draft.texts, [name]: target.value } })}
          choices={choices}
        />
      )}
    </Field>
  );
}

interface SelectProps extends React.ComponentProps<'select'> {
  readonly choices: readonly (readonly [value: string, name: string])[];
}

export function Select({ choices, className, ...rest }: SelectProps) {
  return (
    <select {...rest} className={classes(inputClasses, className)}>
      {choices.map(([value, name]) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
    </select>
  );
}

/** Fields that few triggers need. Open if one of them has a mistake. */
export function MoreSettings({ isOpen, children }: { isOpen: boolean; children: ReactNode }) {
  const say = useSay();
  return (
    <details open={isOpen || undefined}>
      <summary className="w-fit rounded-lg font-medium text-muted select-none hover:text-ink">
        {say('More', '更多')}
      </summary>
      <div className="mt-3 grid gap-4 sm:grid-cols-2">{children}</div>
    </details>
  );
}
