import { join } from 'node:path';

import {
  type CallToolResult,
  Client,
  type ProgressCallback,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';

import { type Hob, projectRoot } from './hob.ts';
import { findPackage, has } from './needs.ts';

export interface CallOptions {
  signal?: AbortSignal;
  onProgress?: ProgressCallback;
}

/** A connected client of an official SDK, with what all of them can do. */
export interface Agent {
  /** The protocol version that both sides chose; null if the SDK does not say it. */
  readonly version: string | null;
  tools(): Promise<{ name: string; inputSchema: object }[]>;
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<CallToolResult>;
  resources(): Promise<string[]>;
  resourceTemplates(): Promise<string[]>;
  read(uri: string): Promise<string>;
  close(): Promise<void>;
}

/** A client, and how it reaches the service. */
export interface ClientKind {
  /** The client gives this name to the service. */
  readonly name: string;
  /** Whether its protocol has sessions. */
  readonly hasSession: boolean;
  readonly transport: 'HTTP' | 'stdio';
  /** The protocol version that it must use; null if the SDK does not say it. */
  readonly version: string | null;
  /** Connects it until the end of the test. `onTools` receives the names of the tools after each change that the service announces. */
  connect(hob: Hob, onTools?: (names: string[]) => void): Promise<Agent>;
}

const transports = ['HTTP', 'stdio'] as const;

/** Every SDK with every transport, without those that this machine lacks. */
export function clientKinds(): ClientKind[] {
  return transports.flatMap((transport) => [
    newestClient(transport),
    {
      name: `SDK v2 in 2025 over ${transport}`,
      hasSession: true,
      transport,
      version: '2025-11-25',
      connect: connector(async () => sdkV2, transport),
    },
    ...sdkV1Kinds(transport),
  ]);
}

/** A client of the newest protocol. */
export function newestClient(transport: ClientKind['transport']): ClientKind {
  return {
    name: `SDK v2 in 2026 over ${transport}`,
    hasSession: false,
    transport,
    version: '2026-07-28',
    connect: connector(async () => sdkV2, transport, { versionNegotiation: { mode: 'auto' } }),
  };
}

function sdkV1Kinds(transport: ClientKind['transport']): ClientKind[] {
  const name = '@modelcontextprotocol/sdk';
  const folder = findPackage(name);
  if (!has(`the npm package ${name}`, folder !== null) || folder === null) return [];
  const connect = connector(() => loadSdkV1(folder), transport);
  return [{ name: `SDK v1 over ${transport}`, hasSession: true, transport, version: null, connect }];
}

type ListedClient = Pick<
  Client,
  'listTools' | 'listResources' | 'listResourceTemplates' | 'readResource' | 'close'
>;
type ClientOptions = NonNullable<ConstructorParameters<typeof Client>[1]>;
type CallRequest = Parameters<Client['callTool']>;

/** The client of an SDK before it is connected. */
interface UnconnectedClient {
  readonly client: ListedClient;
  version(): string | null;
  callTool(...request: CallRequest): Promise<CallToolResult>;
  connectHttp(url: URL): Promise<void>;
  connectStdio(server: { command: string; args: string[]; stderr: 'ignore' }): Promise<void>;
}

type Sdk = (name: string, options: ClientOptions) => UnconnectedClient;

const sdkV2: Sdk = (name, options) => {
  const client = new Client({ name, version: '1' }, options);
  return {
    client,
    version: () => client.getNegotiatedProtocolVersion() ?? null,
    callTool: (...request) => client.callTool(...request),
    connectHttp: (url) => client.connect(new StreamableHTTPClientTransport(url)),
    connectStdio: (server) => client.connect(new StdioClientTransport(server)),
  };
};

/** The parts of the SDK v1 that the tests use. It is no dependency, so its types are not available. */
interface ClientV1 extends ListedClient {
  connect(transport: object): Promise<void>;
  callTool(params: CallRequest[0], schema: undefined, options: CallRequest[1]): Promise<CallToolResult>;
}

interface SdkV1 {
  Client: new (info: { name: string; version: string }, options: ClientOptions) => ClientV1;
  StreamableHTTPClientTransport: new (url: URL) => object;
  StdioClientTransport: new (server: object) => object;
}

async function loadSdkV1(folder: string): Promise<Sdk> {
  const load = (file: string) => import(join(folder, 'dist', 'esm', 'client', file));
  const [index, http, stdio] = await Promise.all(['index.js', 'streamableHttp.js', 'stdio.js'].map(load));
  const sdk: SdkV1 = { ...index, ...http, ...stdio };
  return (name, options) => {
    const client = new sdk.Client({ name, version: '1' }, options);
    return {
      client,
      version: () => null,
      callTool: (params, callOptions) => client.callTool(params, undefined, callOptions),
      connectHttp: (url) => client.connect(new sdk.StreamableHTTPClientTransport(url)),
      connectStdio: (server) => client.connect(new sdk.StdioClientTransport(server)),
    };
  };
}

function connector(
  load: () => Promise<Sdk>,
  transport: ClientKind['transport'],
  options: ClientOptions = {},
): ClientKind['connect'] {
  return async function connect(this: ClientKind, hob, onTools) {
    const sdk = await load();
    const onChanged = (_error: Error | null, tools: { name: string }[] | null) =>
      onTools?.((tools ?? []).map(({ name }) => name));
    const { client, callTool, version, connectHttp, connectStdio } = sdk(this.name, {
      ...options,
      ...(onTools !== undefined && { listChanged: { tools: { onChanged, debounceMs: 0 } } }),
    });
    if (transport === 'HTTP') await connectHttp(new URL('/mcp', hob.url));
    else {
      const args = [join(projectRoot, 'bin', 'hob.js'), 'mcp', '--home', hob.home];
      await connectStdio({ command: process.execPath, args, stderr: 'ignore' });
    }
    onTestFinished(() => client.close());
    return {
      version: version(),
      tools: async () => (await client.listTools()).tools,
      call: (name, args = {}, { signal, onProgress } = {}) =>
        callTool(
          { name, arguments: args },
          { ...(signal && { signal }), ...(onProgress && { onprogress: onProgress }) },
        ),
      resources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
      resourceTemplates: async () =>
        (await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate),
      async read(uri) {
        const { contents } = await client.readResource({ uri });
        return contents.map((content) => ('text' in content ? content.text : '')).join('');
      },
      close: () => client.close(),
    };
  };
}
