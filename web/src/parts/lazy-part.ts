import { type ComponentType, lazy } from 'react';

/** A file of the console itself could not be had: the service is away, or another version of it is there by now. */
export class NotLoadedError extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = 'NotLoadedError';
  }
}

/** A part of the console that is loaded when it is first shown. */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  return lazy(async () => {
    try {
      return { default: await load() };
    } catch (error) {
      throw new NotLoadedError(error);
    }
  });
}
