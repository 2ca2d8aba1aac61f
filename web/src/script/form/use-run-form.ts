import { useCallback, useEffect, useState } from 'react';

import type { Script } from '../../api/wire.ts';
import { type Draft, draftOf } from './draft.ts';
import {
  type Complaints,
  type FormValues,
  inputField,
  type MadeCall,
  makeCall,
  noValues,
} from './make-call.ts';
import { rememberValues } from './remembered-values.ts';

const nothingWrong: Complaints = new Map();

export interface RunForm {
  readonly values: FormValues;
  readonly complaints: Complaints;
  /** Whether anything is not as the manifest has it. */
  readonly isChanged: boolean;
  readonly setInput: (text: string) => void;
  readonly setDraft: (name: string, draft: Draft) => void;
  readonly reset: () => void;
  /** The call, or what keeps the form from making it; the fields say so, too. */
  readonly check: (options?: { readonly secretsLater: boolean }) => MadeCall;
  readonly complain: (complaints: Complaints) => void;
}

/** What is in the form of a script. It is remembered as it is typed, for the next time. */
export function useRunForm(script: Script, first: FormValues): RunForm {
  const [{ values, isTouched }, setForm] = useState({ values: first, isTouched: false });
  const [complaints, setComplaints] = useState(nothingWrong);
  useEffect(() => {
    // To have looked at what a run was started with is no reason to forget what was typed here.
    if (isTouched) rememberValues(script, values);
  }, [script, values, isTouched]);

  const change = useCallback((next: (now: FormValues) => FormValues) => {
    setForm((form) => ({ values: next(form.values), isTouched: true }));
  }, []);
  const settle = useCallback((field: string) => {
    setComplaints((all) => new Map([...all].filter(([name]) => name !== field)));
  }, []);
  const setInput = useCallback(
    (input: string) => {
      change((now) => ({ ...now, input }));
      settle(inputField);
    },
    [change, settle],
  );
  const setDraft = useCallback(
    (name: string, draft: Draft) => {
      const param = script.params.find((each) => each.name === name);
      const isDefault = param !== undefined && draftOf(param, param.default) === draft;
      change(({ input, drafts: { [name]: _, ...others } }) => ({
        input,
        // What is as the manifest has it follows the manifest.
        drafts: isDefault ? others : { ...others, [name]: draft },
      }));
      settle(name);
    },
    [script, change, settle],
  );
  return {
    values,
    complaints,
    isChanged: values.input !== '' || Object.keys(values.drafts).length > 0,
    setInput,
    setDraft,
    reset() {
      change(() => noValues);
      setComplaints(nothingWrong);
    },
    check(options) {
      const made = makeCall(script, values, options);
      setComplaints('complaints' in made ? made.complaints : nothingWrong);
      return made;
    },
    complain: setComplaints,
  };
}
