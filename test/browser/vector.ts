/** The origin of the attacking page. */
export type Place =
  /** A site on the web. */
  | 'evil'
  /** A server on another port of this machine, by address and by name. */
  | 'neighbour'
  | 'neighbour-by-name'
  /** A document that the user saved and opened. */
  | 'file'
  /** A site whose name now resolves to the target (DNS rebinding), so that it shares the target's origin. */
  | 'rebound';

/** One way in which a web page can make the browser of its user send a request to a local service. */
export interface Vector {
  readonly name: string;
  readonly place?: Place;
  /** An expression over `aim` that may use page-kit.js. It resolves to the part of the response that the page could read. */
  readonly fire: string;
  /** Whether the vector navigates away from its page, so that each target needs its own page. */
  readonly leaves?: boolean;
  /** Markup for the head and response headers of the page, given the URLs at the targets. */
  readonly head?: (urls: readonly string[]) => string;
  readonly headers?: (urls: readonly string[]) => Record<string, string>;
}

export interface Targets {
  readonly hob: string;
  readonly control: string;
}
