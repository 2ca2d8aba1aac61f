import { Eye, EyeOff } from 'lucide-react';
import { useState } from 'react';

import type { Param } from '../../api/wire.ts';
import { useSay } from '../../language/language.tsx';
import { IconButton } from '../../parts/button.tsx';
import { classes } from '../../parts/classes.ts';
import { Field } from '../../parts/field.tsx';
import { inputClasses } from '../../parts/input.ts';
import { LabelledSwitch } from '../../parts/labelled-switch.tsx';
import { TextArea } from '../../parts/text-area.tsx';
import { ChoiceField } from './choice-field.tsx';
import type { Draft } from './draft.ts';
import type { FieldError } from './read-draft.ts';
import type { TextControl } from './text-control.ts';
import { TextField } from './text-field.tsx';

export interface ParamFieldProps {
  readonly param: Param;
  readonly draft: Draft;
  readonly fieldError: FieldError | undefined;
  readonly onChange: (draft: Draft) => void;
}

/** The control for a parameter, by its type. */
export function ParamField({ param, draft, fieldError, onChange }: ParamFieldProps) {
  const say = useSay();
  const { name, label, type, description, required } = param;
  const error = fieldError === undefined ? null : say(fieldError.en, fieldError.zh);
  if (type === 'bool')
    return (
      <LabelledSwitch
        label={label}
        description={description}
        error={error}
        isOn={draft === true}
        onChange={onChange}
        field={name}
      />
    );
  const text = String(draft);
  const rest = { param, error, text, onChange };
  if (param.secret) return <SecretField {...rest} />;
  if (param.choices.length > 0 && (type === 'str' || type === 'any')) return <ChoiceField {...rest} />;
  if (type === 'str') return <TextField {...rest} />;
  const isNumber = type === 'int' || type === 'float';
  return (
    <Field label={label} description={description} error={error} isRequired={required}>
      {({ id, describedBy, isInvalid }) => {
        const control = {
          id,
          value: text,
          'data-field': name,
          'aria-describedby': describedBy,
          'aria-invalid': isInvalid,
          'aria-required': required,
        };
        if (isNumber)
          return (
            <input
              {...control}
              inputMode={type === 'int' ? 'numeric' : 'decimal'}
              autoComplete="off"
              placeholder={param.default === undefined ? '' : String(param.default)}
              onChange={({ target }) => onChange(target.value)}
              className={`${inputClasses} max-w-60 tabular-nums`}
            />
          );
        return (
          <TextArea
            {...control}
            placeholder={placeholderOf(type, say)}
            onChange={({ target }) => onChange(target.value)}
            className={classes('font-mono text-[13px]', type !== 'any' && 'min-h-20')}
          />
        );
      }}
    </Field>
  );
}

function placeholderOf(type: string, say: (en: string, zh: string) => string): string {
  if (type === 'list') return say('One entry per line, or JSON: ["a", "b"]', '每行一项，或 JSON：["a", "b"]');
  return type === 'dict' ? '{"key": "value"}' : say('Text or JSON', '文本或 JSON');
}

/** A password field that neither the page nor the browser stores. */
function SecretField({ param, text, error, onChange }: TextControl) {
  const say = useSay();
  const [isShown, setShown] = useState(false);
  const { name, label, description, required } = param;
  return (
    <Field
      label={label}
      description={description ?? say('Secret: this value is not saved', '密文：不会被保存')}
      error={error}
      isRequired={required}
    >
      {({ id, describedBy, isInvalid }) => (
        <div className="relative">
          <input
            id={id}
            type={isShown ? 'text' : 'password'}
            value={text}
            data-field={name}
            aria-describedby={describedBy}
            aria-invalid={isInvalid}
            aria-required={required}
            // Browsers ignore `off` for passwords. `new-password` prevents autofill.
            autoComplete="new-password"
            spellCheck={false}
            onChange={({ target }) => onChange(target.value)}
            className={`${inputClasses} pr-10`}
          />
          <IconButton
            label={isShown ? say(`Hide ${label}`, `隐藏 ${label}`) : say(`Show ${label}`, `显示 ${label}`)}
            aria-pressed={isShown}
            className="absolute top-1 right-1 size-7"
            onClick={() => setShown(!isShown)}
          >
            {isShown ? <EyeOff size={15} aria-hidden /> : <Eye size={15} aria-hidden />}
          </IconButton>
        </div>
      )}
    </Field>
  );
}
