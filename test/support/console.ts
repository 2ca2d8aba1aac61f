import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';

import { type CommandScene, launchScene } from './command-scene.ts';
import { findProgram, has } from './needs.ts';
import { hungMs } from './until.ts';

const executablePath = findProgram('chromium') ?? '';
export const hasChromium = has('chromium', executablePath !== '');

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
/** What a page complains of while the service is not there. Its icon comes last, and may still be on its way then. */
export const isAway = /net::ERR_\w+ \S+\/(api\/|icon\.svg$)/;
/** What makes a page hard or impossible to use for somebody. */
const grave = new Set(['serious', 'critical']);

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** A service with a browser beside it, for a whole file of tests. */
export interface ConsoleScene extends CommandScene {
  /** Opens a page of the console, in English and light unless `look` says otherwise. */
  open(path?: string, look?: BrowserContextOptions): Promise<ConsolePage>;
}

export interface ConsolePage {
  readonly page: Page;
  /** Fails if anybody would be kept from using what is shown. */
  checkAccess(): Promise<void>;
  /** A complaint that belongs to the scene. That a request was refused, or had no answer, the browser always says, with the address. */
  expects(complaint: RegExp): void;
  /** Closes the page; fails if it complained of anything that was not expected, or not of what was. */
  close(): Promise<void>;
}

export async function launchConsole(
  writeScripts: (scripts: string) => Promise<void>,
  settings = '',
  env: Record<string, string> = {},
): Promise<ConsoleScene> {
  const scene = await launchScene(writeScripts, settings, env);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  return {
    ...scene,
    open: (path = '/', look = {}) => openPage(browser, scene.hob.url + path, look),
    async stop() {
      await browser.close();
      await scene.stop();
    },
  };
}

async function openPage(
  browser: Browser,
  address: string,
  look: BrowserContextOptions,
): Promise<ConsolePage> {
  const context = await browser.newContext({ locale: 'en-US', colorScheme: 'light', ...look });
  // Only what is grossly slow: others may use the machine, too.
  context.setDefaultTimeout(hungMs);
  const page = await context.newPage();
  const complaints: string[] = [];
  const expected: RegExp[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      complaints.push(`${message.text()} ${message.location().url}`);
  });
  await page.goto(address);
  return {
    page,
    async checkAccess() {
      // By the way of the debugger, as a person's extension would: the policy of the page lets nobody else in.
      await page.evaluate(await readFile(axe, 'utf8'));
      const findings = await page.evaluate(async (): Promise<Finding[]> => {
        const checker = Reflect.get(globalThis, 'axe') as { run(): Promise<{ violations: Finding[] }> };
        return (await checker.run()).violations;
      });
      const found = findings.filter(({ impact }) => grave.has(impact));
      expect(
        found.map(({ id, nodes }) => ({
          id,
          nodes: nodes.map(({ failureSummary, html }) => [html, failureSummary]),
        })),
      ).toEqual([]);
    },
    expects(complaint) {
      expected.push(complaint);
    },
    async close() {
      await context.close();
      expect(complaints.filter((each) => !expected.some((pattern) => pattern.test(each)))).toEqual([]);
      expect(expected.filter((pattern) => !complaints.some((each) => pattern.test(each)))).toEqual([]);
    },
  };
}
