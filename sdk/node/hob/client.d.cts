export * from '../../../dist/client/client.cjs';
