import { type ComponentType, lazy } from 'react';

/** A file of the console could not be loaded: the service is unreachable, or a new version with other files is installed. */
export class NotLoadedError extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = 'NotLoadedError';
  }
}

/** A component that is loaded when it is first shown. */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  return lazy(async () => {
    try {
      return { default: await load() };
    } catch (error) {
      throw new NotLoadedError(error);
    }
  });
}
