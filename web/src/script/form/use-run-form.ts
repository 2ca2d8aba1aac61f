import { useEffect, useState } from 'react';

import type { Script } from '../../api/wire.ts';
import { type Draft, draftOf } from './draft.ts';
import {
  type FieldErrors,
  type FormValues,
  fieldErrorAt,
  inputField,
  type MadeCall,
  makeCall,
  noValues,
} from './make-call.ts';
import { type FieldError, missing } from './read-draft.ts';
import { rememberValues } from './remembered-values.ts';

const nothingWrong: FieldErrors = new Map();

export interface RunForm {
  readonly values: FormValues;
  readonly fieldErrors: FieldErrors;
  /** Whether any value differs from its default. */
  readonly isChanged: boolean;
  readonly setInput: (text: string) => void;
  readonly setDraft: (name: string, draft: Draft) => void;
  /** Checks a field when it loses the focus. */
  readonly leave: (field: string) => void;
  readonly reset: () => void;
  /** Checks the whole form and shows all errors. */
  readonly check: (options?: { readonly secretsLater: boolean }) => MadeCall;
  readonly setFieldErrors: (fieldErrors: FieldErrors) => void;
}

/** The state of a script form. Entered values are stored in the browser as they change. */
export function useRunForm(script: Script, first: FormValues): RunForm {
  const [{ values, isTouched }, setForm] = useState({ values: first, isTouched: false });
  const [fieldErrors, setErrors] = useState(nothingWrong);
  useEffect(() => {
    // Filling in the values of a run must not overwrite the stored ones until the user edits them.
    if (isTouched) rememberValues(script, values);
  }, [script, values, isTouched]);

  const settle = (field: string, fieldError: FieldError | null) => {
    setErrors((all) => {
      const others = [...all].filter(([name]) => name !== field);
      return new Map(fieldError === null ? others : [...others, [field, fieldError]]);
    });
  };
  const change = (field: string, changed: FormValues) => {
    setForm({ values: changed, isTouched: true });
    // Update a shown error while the user corrects the field.
    if (fieldErrors.has(field)) settle(field, fieldErrorAt(script, changed, field));
  };
  return {
    values,
    fieldErrors,
    isChanged: values.input !== '' || Object.keys(values.drafts).length > 0,
    setInput: (input) => change(inputField, { ...values, input }),
    setDraft(name, draft) {
      const param = script.params.find((each) => each.name === name);
      const isDefault = param !== undefined && draftOf(param, param.default) === draft;
      const { [name]: _, ...others } = values.drafts;
      // A value equal to the default is not stored, so that it follows changes of the manifest.
      change(name, { ...values, drafts: isDefault ? others : { ...others, [name]: draft } });
    },
    leave(field) {
      const fieldError = fieldErrorAt(script, values, field);
      // Do not report empty fields yet, because the user may return to them.
      if (fieldError !== null && fieldError !== missing) settle(field, fieldError);
    },
    reset() {
      setForm({ values: noValues, isTouched: true });
      setErrors(nothingWrong);
    },
    check(options) {
      const made = makeCall(script, values, options);
      setErrors('fieldErrors' in made ? made.fieldErrors : nothingWrong);
      return made;
    },
    setFieldErrors: setErrors,
  };
}
