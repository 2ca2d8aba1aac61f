import { WrapText } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';

import { useSay } from '../../language/language.tsx';
import { IconButton } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { inputClasses } from '../../parts/input.ts';
import { TextArea } from '../../parts/text-area.tsx';
import type { TextControl } from './text-control.ts';

/** Longer texts do not fit on one line. */
const longText = 90;

/** A text field with one line, or with several if the text has them or the user asks for them. */
export function TextField({ param, text, error, onChange }: TextControl) {
  const say = useSay();
  const { name, label, description, required } = param;
  const [isAsked, setAsked] = useState(
    () =>
      typeof param.default === 'string' && (param.default.includes('\n') || param.default.length > longText),
  );
  const isLong = isAsked || text.includes('\n');
  const area = useRef<HTMLTextAreaElement>(null);
  const [wasClicked, setClicked] = useState(false);
  // The element that had the focus was replaced.
  useEffect(() => {
    if (wasClicked) area.current?.focus();
  }, [wasClicked]);
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
          autoComplete: 'off',
        };
        if (isLong)
          return (
            <TextArea {...control} onChange={({ target }) => onChange(target.value)} className="min-h-20" />
          );
        return (
          <div className="group/text relative">
            <input
              {...control}
              onChange={({ target }) => onChange(target.value)}
              className={`${inputClasses} pr-10`}
            />
            <IconButton
              label={say(`Multiple lines: ${label}`, `多行输入：${label}`)}
              className="absolute top-1 right-1 size-7 opacity-0 group-focus-within/text:opacity-100 group-hover/text:opacity-100 focus-visible:opacity-100"
              onClick={() => {
                setAsked(true);
                setClicked(true);
              }}
            >
              <WrapText size={15} aria-hidden />
            </IconButton>
          </div>
        );
      }}
    </Field>
  );
}
