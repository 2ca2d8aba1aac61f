/** The choice of the user for the tool of a script. Null: the rule for all scripts applies. */
export interface AgentChoice {
  /** In lower case. */
  readonly scriptId: string;
  /** Whether agents may use the script. */
  readonly isOffered: boolean | null;
  /** Whether a call waits until the user has allowed it. */
  readonly isAsked: boolean | null;
}

/** The storage of these choices. The interface is declared here and implemented in `storage/`. */
export interface AgentChoiceStore {
  all(): AgentChoice[];
  /** Replaces the choice for the script. Removes it if both values are null. */
  put(choice: AgentChoice): void;
}
