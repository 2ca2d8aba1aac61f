import { Eye, EyeOff } from 'lucide-react';
import { useState } from 'react';

import { useSay } from '../../language/language.tsx';
import { IconButton } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { inputClasses } from '../../parts/input.ts';
import type { TextControl } from './text-control.ts';

/** A password field that neither the page nor the browser stores. */
export function SecretField({ param, text, error, onChange }: TextControl) {
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
