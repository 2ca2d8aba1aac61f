import { Eye, EyeOff, WrapText } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';

import type { Param } from '../../api/wire.ts';
import { useSay } from '../../language/language.tsx';
import { IconButton } from '../../parts/button.tsx';
import { classes } from '../../parts/classes.ts';
import { type ControlIds, Field, inputClasses, optionClasses, TextArea } from '../../parts/field.tsx';
import { LabelledSwitch } from '../../parts/labelled-switch.tsx';
import type { Draft } from './draft.ts';
import type { FieldError } from './read-draft.ts';

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
      {(ids) => {
        const control = controlOf(param, text, ids);
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

/** The attributes that every text control of a parameter has. */
function controlOf({ name, required }: Param, text: string, { id, describedBy, isInvalid }: ControlIds) {
  return {
    id,
    value: text,
    'data-field': name,
    'aria-describedby': describedBy,
    'aria-invalid': isInvalid,
    'aria-required': required,
  };
}

function placeholderOf(type: string, say: (en: string, zh: string) => string): string {
  if (type === 'list') return say('One entry per line, or JSON: ["a", "b"]', '每行一项，或 JSON：["a", "b"]');
  return type === 'dict' ? '{"key": "value"}' : say('Text or JSON', '文本或 JSON');
}

/** A password field that neither the page nor the browser stores. */
function SecretField({ param, text, error, onChange }: TextControl) {
  const say = useSay();
  const [isShown, setShown] = useState(false);
  const { label, description, required } = param;
  return (
    <Field
      label={label}
      description={description ?? say('Secret: this value is not saved', '密文：不会被保存')}
      error={error}
      isRequired={required}
    >
      {(ids) => (
        <div className="relative">
          <input
            {...controlOf(param, text, ids)}
            type={isShown ? 'text' : 'password'}
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

/** Longer texts do not fit on one line. */
const longText = 90;

/** A text field with one line, or with several if the text has them or the user asks for them. */
function TextField({ param, text, error, onChange }: TextControl) {
  const say = useSay();
  const { label, description, required } = param;
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
      {(ids) => {
        const control = { ...controlOf(param, text, ids), autoComplete: 'off' };
        if (isLong)
          return (
            <TextArea
              ref={area}
              {...control}
              onChange={({ target }) => onChange(target.value)}
              className="min-h-20"
            />
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
function ChoiceField(props: TextControl) {
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
          <label key={choice} className={optionClasses}>
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

/** The props of text fields. */
interface TextControl {
  readonly param: Param;
  readonly text: string;
  readonly error: string | null;
  readonly onChange: (text: string) => void;
}
