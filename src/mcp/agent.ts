import type { JsonObject } from '../shared/json.ts';

/** The request of an agent, independent of the protocol. */
export interface AgentRequest {
  /** The name of the agent's program, as it says itself. */
  readonly client: string;
  /** Aborted when the agent cancels the request or, where that means the same, disconnects. */
  readonly signal: AbortSignal;
  /** Shows the progress of a long call; null if the agent did not ask for it. */
  readonly report: ((progress: ShownProgress) => void) | null;
}

/** The value always grows. */
export interface ShownProgress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** A text, or the address of something that the agent can read. */
type Content =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'resource_link';
      readonly uri: string;
      readonly name: string;
      readonly description: string;
      readonly mimeType: string;
    };

/** The answer to the call of a tool. */
export interface ToolAnswer {
  readonly content: readonly Content[];
  readonly structuredContent?: JsonObject;
  readonly isError?: boolean;
}

export function textAnswer(text: string): ToolAnswer {
  return { content: [{ type: 'text', text }] };
}

/** A mistake that the agent can correct. It reads the text, so the text says what to do next. */
export function errorAnswer(text: string): ToolAnswer {
  return { ...textAnswer(text), isError: true };
}

const longestRepeated = 100;

/** A name that an agent sent, as the answer repeats it. */
export function repeated(name: string): string {
  return name.length <= longestRepeated ? name : `${name.slice(0, longestRepeated - 1)}…`;
}

/** A mistake of the agent, with a text for it. */
export class AgentMistake extends Error {}

/** The call names a tool that does not exist, or is not offered. */
export class UnknownTool extends Error {}

/** The address names nothing that agents may read. */
export class UnknownResource extends Error {}

/** The cause of a failure is in the log; an agent can do nothing about it. */
export const defect = 'Hob has a defect here. Tell the user to look for the cause in the log of the service.';
