import { useEffect, useState } from 'react';

import type { Script } from '../../api/wire.ts';
import { type Draft, draftOf } from './draft.ts';
import {
  type Complaints,
  complaintAt,
  type FormValues,
  inputField,
  type MadeCall,
  makeCall,
  noValues,
} from './make-call.ts';
import { type Complaint, missing } from './read-draft.ts';
import { rememberValues } from './remembered-values.ts';

const nothingWrong: Complaints = new Map();

export interface RunForm {
  readonly values: FormValues;
  readonly complaints: Complaints;
  /** Whether any value differs from its default. */
  readonly isChanged: boolean;
  readonly setInput: (text: string) => void;
  readonly setDraft: (name: string, draft: Draft) => void;
  /** Checks a field when it loses the focus. */
  readonly leave: (field: string) => void;
  readonly reset: () => void;
  /** Checks the whole form and shows all errors. */
  readonly check: (options?: { readonly secretsLater: boolean }) => MadeCall;
  readonly complain: (complaints: Complaints) => void;
}

/** The state of a script form. Entered values are stored in the browser as they change. */
export function useRunForm(script: Script, first: FormValues): RunForm {
  const [{ values, isTouched }, setForm] = useState({ values: first, isTouched: false });
  const [complaints, setComplaints] = useState(nothingWrong);
  useEffect(() => {
    // Filling in the values of a run must not overwrite the stored ones until the user edits them.
    if (isTouched) rememberValues(script, values);
  }, [script, values, isTouched]);

  const settle = (field: string, complaint: Complaint | null) => {
    setComplaints((all) => {
      const others = [...all].filter(([name]) => name !== field);
      return new Map(complaint === null ? others : [...others, [field, complaint]]);
    });
  };
  const change = (field: string, changed: FormValues) => {
    setForm({ values: changed, isTouched: true });
    // Update a shown error while the user corrects the field.
    if (complaints.has(field)) settle(field, complaintAt(script, changed, field));
  };
  return {
    values,
    complaints,
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
      const complaint = complaintAt(script, values, field);
      // Do not report empty fields yet, because the user may return to them.
      if (complaint !== null && complaint !== missing) settle(field, complaint);
    },
    reset() {
      setForm({ values: noValues, isTouched: true });
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
