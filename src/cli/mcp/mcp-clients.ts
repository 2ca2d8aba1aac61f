import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

import type { DesktopSession } from '../../settings/desktop-session.ts';

export const clientIds = ['claude-desktop', 'claude-code', 'vscode', 'cursor'] as const;
export type ClientId = (typeof clientIds)[number];

/** A program that starts MCP servers, and its configuration. */
export interface McpClient {
  readonly id: ClientId;
  readonly title: string;
  readonly file: string;
  /** The object in the file that contains an entry for each server. */
  readonly group: string;
  /** Fields that the client expects besides the command. */
  readonly fields: { readonly type?: 'stdio' };
  /** Whether the client needs `env`, even if it is empty. */
  readonly needsEnv: boolean;
  /** One of these paths exists if the client is installed. */
  readonly traces: readonly string[];
}

export function mcpClients(
  { configHome, environment }: DesktopSession,
  { platform, home }: { platform: NodeJS.Platform; home: string } = {
    platform: process.platform,
    home: homedir(),
  },
): McpClient[] {
  const data = dataFolder(platform, { configHome, environment, home });
  const [claude, code, cursor] = [join(data, 'Claude'), join(data, 'Code'), join(home, '.cursor')];
  const claudeCode = join(environment.CLAUDE_CONFIG_DIR || home, '.claude.json');
  return [
    {
      id: 'claude-desktop',
      title: 'Claude Desktop',
      file: join(claude, 'claude_desktop_config.json'),
      group: 'mcpServers',
      fields: {},
      needsEnv: false,
      traces: [claude],
    },
    {
      id: 'claude-code',
      title: 'Claude Code',
      file: claudeCode,
      group: 'mcpServers',
      fields: { type: 'stdio' },
      needsEnv: true,
      traces: [claudeCode, join(home, '.claude')],
    },
    {
      id: 'vscode',
      title: 'VS Code',
      file: join(code, 'User', 'mcp.json'),
      group: 'servers',
      fields: { type: 'stdio' },
      needsEnv: false,
      traces: [code],
    },
    {
      id: 'cursor',
      title: 'Cursor',
      file: join(cursor, 'mcp.json'),
      group: 'mcpServers',
      fields: {},
      needsEnv: false,
      traces: [cursor],
    },
  ];
}

/** Where programs of this platform keep their settings. */
function dataFolder(
  platform: NodeJS.Platform,
  { configHome, environment, home }: Pick<DesktopSession, 'configHome' | 'environment'> & { home: string },
): string {
  if (platform === 'win32') return environment.APPDATA || join(home, 'AppData', 'Roaming');
  return platform === 'darwin' ? join(home, 'Library', 'Application Support') : configHome;
}

export function isFound({ traces }: McpClient): boolean {
  return traces.some((path) => existsSync(path));
}
