/** The pages of triggers, which are loaded together. */
export { EditTriggerPage, NewTriggerPage } from './form/trigger-form-page.tsx';
export { TriggerPage } from './trigger-page.tsx';
export { TriggersPage } from './triggers-page.tsx';
