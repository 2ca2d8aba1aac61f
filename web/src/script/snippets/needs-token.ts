import { queryOptions } from '@tanstack/react-query';

/** Whether the service asks for its token. This page has shown it, and a cookie stands for it since: it is asked without one. */
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
