import { queryOptions } from '@tanstack/react-query';

/** Whether the service requires a token. The request omits the session cookie of this page. */
export const needsTokenQuery = queryOptions({
  queryKey: ['needs-token'],
  queryFn: async ({ signal }) => {
    const { status } = await fetch('/api/script.schema.json', {
      method: 'HEAD',
      credentials: 'omit',
      signal,
    });
    return status === 401;
  },
  staleTime: Number.POSITIVE_INFINITY,
});
