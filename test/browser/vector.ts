/** Where the attacking page was loaded from. */
export type Place =
  /** Somewhere on the web. */
  | 'evil'
  /** A server on another port of this machine, by address and by name. */
  | 'neighbour'
  | 'neighbour-by-name'
  /** A document that the user saved and opened. */
  | 'file'
  /** A site whose name leads to the target by now, as seen by the browser: the same origin as the target. */
  | 'rebound';

/** One way in which a web page can make the browser of its user send a request to a local service. */
export interface Vector {
  readonly name: string;
  readonly place?: Place;
  /** An expression over `aim`, with what is in page-kit.js; it resolves to what the page could read of the answer. */
  readonly fire: string;
  /** The page is gone when it has fired, and so it needs one for each target. */
  readonly leaves?: boolean;
  /** Markup of the page's head, and headers of its answer, for these addresses at the targets. */
  readonly head?: (urls: readonly string[]) => string;
  readonly headers?: (urls: readonly string[]) => Record<string, string>;
}

export interface Targets {
  readonly hob: string;
  readonly control: string;
}
