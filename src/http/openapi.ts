import { interfaceVersion } from '../shared/version.ts';

export function openApiInfo(version: string) {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Hob',
      version,
      description: `Manages and runs the scripts on this machine. Implements interface ${interfaceVersion}.`,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    // The token is required only if the setting `token` is on.
    security: [{}, { token: [] }],
    components: { securitySchemes: { token: { type: 'http' as const, scheme: 'bearer' } } },
  };
}
