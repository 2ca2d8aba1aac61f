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
  /** Whether anything is not as the manifest has it. */
  readonly isChanged: boolean;
  readonly setInput: (text: string) => void;
  readonly setDraft: (name: string, draft: Draft) => void;
  /** The person goes on to something else: what is in the field by now is meant. */
  readonly leave: (field: string) => void;
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

  const settle = (field: string, complaint: Complaint | null) => {
    setComplaints((all) => {
      const others = [...all].filter(([name]) => name !== field);
      return new Map(complaint === null ? others : [...others, [field, complaint]]);
    });
  };
  const change = (field: string, changed: FormValues) => {
    setForm({ values: changed, isTouched: true });
    // While something is put right, it says what is still wrong.
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
      // What is as the manifest has it follows the manifest.
      change(name, { ...values, drafts: isDefault ? others : { ...others, [name]: draft } });
    },
    leave(field) {
      const complaint = complaintAt(script, values, field);
      // Who goes through the fields may come back to the empty ones.
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
