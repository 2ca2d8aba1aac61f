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
    // Needed only where the setting `token` says so.
    security: [{}, { token: [] }],
    components: { securitySchemes: { token: { type: 'http' as const, scheme: 'bearer' } } },
  };
}
