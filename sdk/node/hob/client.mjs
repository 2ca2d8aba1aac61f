export * from '../../../dist/client/client.mjs';
