import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';

import type { DesktopSession } from '../../settings/desktop-session.ts';
import { resolveHome } from '../../settings/home.ts';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json.ts';
import { longLivedFlags } from '../../shared/node-flags.ts';
import type { McpClient } from './mcp-clients.ts';

/** How a client starts `hob mcp`. */
export interface McpLaunch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** With absolute paths: a client may have a shorter PATH than the shell. */
export function mcpLaunch(home: string, { environment }: DesktopSession): McpLaunch {
  // A client passes few variables on, so a default that depends on others does not count.
  const { LOCALAPPDATA } = environment;
  const isDefault = home === resolveHome(undefined, { LOCALAPPDATA });
  return {
    command: process.execPath,
    args: [...longLivedFlags, hobScript, 'mcp'],
    env: isDefault ? {} : { HOB_HOME: home },
  };
}

// The same relative path works from src and from the build output.
const hobScript = fileURLToPath(new URL('../../../bin/hob.js', import.meta.url));

/** The entry for a client. Keeps what the user has added to an existing one. */
export function entryFor(
  { fields, needsEnv }: Pick<McpClient, 'fields' | 'needsEnv'>,
  { command, args, env }: McpLaunch,
  existing: JsonObject = {},
): JsonObject {
  const merged = { ...(isJsonObject(existing.env) ? existing.env : {}), ...env };
  const { env: _, ...others } = existing;
  const hasEnv = needsEnv || Object.keys(merged).length > 0;
  return { ...others, ...fields, command, args: [...args], ...(hasEnv && { env: merged }) };
}

/** `outdated`: it starts this Hob in another way, for example with another version of Node. `other`: it starts something else. */
export type EntryState = 'missing' | 'current' | 'outdated' | 'other';

export function entryState(
  entry: Json | undefined,
  client: Pick<McpClient, 'fields' | 'needsEnv'>,
  launch: McpLaunch,
): EntryState {
  if (entry === undefined) return 'missing';
  if (!isJsonObject(entry) || !startsThisHob(entry, launch)) return 'other';
  return isDeepStrictEqual(entry, entryFor(client, launch, entry)) ? 'current' : 'outdated';
}

function startsThisHob({ args, env }: JsonObject, launch: McpLaunch): boolean {
  const home = isJsonObject(env) ? env.HOB_HOME : undefined;
  const isThisHome = home === launch.env.HOB_HOME;
  return isThisHome && Array.isArray(args) && args.includes(hobScript) && args.at(-1) === 'mcp';
}
