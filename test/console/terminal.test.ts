import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { comeFromAfar } from '../support/come-from-afar.ts';
import { type ConsoleScene, hasChromium, isAway, launchConsole } from '../support/console.ts';
import { type Hob, launchHob } from '../support/hob.ts';
import { openTerminalRun, type } from '../support/page-terminal.ts';
import { bash, python, writeScript } from '../support/scripts.ts';
import { turnToTab } from '../support/turn-to-tab.ts';
import { expectNothingLeft, outputOf, written } from '../support/window-runs.ts';

/** Draws its size, and redraws when it changes, until q is pressed. */
const drawing = python(`import curses
def main(screen):
    key = 0
    while key != ord("q"):
        curses.update_lines_cols()
        screen.erase()
        screen.border()
        screen.addstr(2, 4, f"全屏 size {curses.COLS} {curses.LINES} key {key}", curses.A_REVERSE)
        screen.refresh()
        key = screen.getch()
curses.wrapper(main)
print("drawn")`);

/** Queries the cursor position and the device attributes of its terminal, then reads a line. */
const asking = python(`import termios, tty
before = termios.tcgetattr(0)
tty.setcbreak(0)
os.write(1, b"ab\\x1b[6n\\x1b[c")
answer = b""
while not answer.endswith(b"c"):
    answer += os.read(0, 1)
termios.tcsetattr(0, termios.TCSADRAIN, before)
print("answer", answer.decode().replace("\\x1b", ""))
print("line", repr(input("Now? ")))`);

/** Sends all terminal queries, switches reports on and off, waits for no answer, and reads a line. */
const givingUp = python(`while True:
    input("Ready? ")
    os.write(1, b"\\x1b[6n\\x1b[?6n\\x1b[5n\\x1b[c\\x1b[>c\\x1b[?25$p\\x1b]4;1;?\\x07\\x1b]10;?\\x07\\x1b]11;?\\x07\\x1bP$q q\\x1b\\\\")
    os.write(1, b"\\x1b[?1004h\\x1b[?1003;1006h\\x1b[?1003;1006l\\x1b[?1004l")
    print("read", repr(input("Name? ")))`);

describe.runIf(hasChromium)('the terminal in the page', () => {
  let scene: ConsoleScene;
  let hob: Hob;
  const ids = new Map<string, string>();
  const start = (name: string) => openTerminalRun(hob, ids.get(name) ?? '');

  beforeAll(async () => {
    scene = await launchConsole(async (scripts) => {
      const entries: Record<string, [string, string]> = {
        greet: python('print("你好", input("Who? "))'),
        password: bash(`read -rs -p "Password? " secret; echo; echo "\${#secret} letters"`),
        patient: python('import time\nprint("ready")\ntime.sleep(600)'),
        drawing,
        asking,
        'giving-up': givingUp,
        pager: bash(`seq -f 'line %g' 500 | less`),
        lines: bash('echo ready; while read -r line; do echo "<$line>"; [ "$line" = end ] && exit 0; done'),
      };
      for (const [name, entry] of Object.entries(entries)) {
        const language = entry[0].endsWith('.py') ? 'python' : 'bash';
        ids.set(name, await writeScript(scripts, name, { language, entry }));
      }
    });
    hob = scene.hob;
  });
  afterAll(async () => {
    await hob.stop();
    await scene.stop();
  });

  it('takes input in any language, and shows that the run has ended', async () => {
    const runId = await start('greet');
    const { page, checkAccess, close } = await scene.open(`/runs/${runId}`);
    await shows(page, 'Who?');
    await checkAccess();
    // The terminal has the focus without a click.
    await page.keyboard.insertText('李雷');
    await page.keyboard.type(' & Ada');
    await page.keyboard.press('Enter');
    await shows(page, '你好 李雷 & Ada');
    await page.getByText('The run has ended').waitFor();
    expect(await outputOf(hob, runId)).toBe('Who? 李雷 & Ada\n你好 李雷 & Ada\n');
    await close();
  });

  it('is loaded only on pages that need it', async () => {
    const { page, close } = await scene.open('/');
    const loaded = await page.evaluate(() =>
      performance.getEntriesByType('resource').map(({ name }) => name),
    );
    expect(loaded.filter((name) => name.includes('terminal'))).toEqual([]);
    await close();
  });

  it('shows nothing of a password', async () => {
    const runId = await start('password');
    const { page, close } = await scene.open(`/runs/${runId}`);
    await shows(page, 'Password?');
    await page.keyboard.type('sesame');
    await page.keyboard.press('Enter');
    await shows(page, '6 letters');
    expect(await page.locator('.xterm-rows').textContent()).not.toContain('sesame');
    await close();
  });

  it('sends Ctrl-C as an interrupt, and copies with it if text is selected', async () => {
    const runId = await start('patient');
    const { page, close } = await scene.open(`/runs/${runId}`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await shows(page, 'ready');
    const { x, y } = (await page.locator('.xterm-rows').boundingBox()) ?? { x: 0, y: 0 };
    await page.mouse.dblclick(x + 12, y + 8);
    await page.keyboard.press('Control+c');
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('ready');
    await page.evaluate(`navigator.clipboard.writeText('something else')`);
    const readCopied = await comeFromAfar(page);
    await page.getByRole('button', { name: 'Copy the selection, or everything' }).click();
    await page.getByText('Copied', { exact: true }).waitFor();
    expect(await readCopied()).toBe('ready');
    await page.locator('.xterm').click();
    await page.keyboard.press('Control+c');
    await shows(page, 'KeyboardInterrupt');
    expect(await hob.ended(runId)).toMatchObject({ end_cause: 'signal', exit_code: 130 });
    await expectNothingLeft(runId);
    await close();
  });

  it('shows a full-screen program that receives its size and every key', async () => {
    const runId = await start('drawing');
    const { page, close } = await scene.open(`/runs/${runId}`, { viewport: { width: 1000, height: 700 } });
    await shows(page, '全屏 size');
    const size = async () =>
      /size (\d+ \d+)/.exec((await page.locator('.xterm-rows').textContent()) ?? '')?.[1];
    await expect.poll(size).not.toBe('80 24');
    const before = await size();
    await page.setViewportSize({ width: 800, height: 500 });
    await expect.poll(size).not.toBe(before);
    const { columns, rows } = (await hob.get(`/api/runs/${runId}/terminal`)).body;
    await shows(page, `size ${columns} ${rows}`);
    await page.keyboard.press('Tab');
    await shows(page, 'key 9');
    await page.keyboard.press('q');
    await shows(page, 'drawn');
    await close();
  });

  it('pages through a text with less', async () => {
    const { page, close } = await scene.open(`/runs/${await start('pager')}`);
    // More than 24 lines: less has received its size, after which it discards earlier input.
    await shows(page, 'line 24');
    await page.keyboard.press('Shift+G');
    await shows(page, 'line 500');
    await page.keyboard.press('g');
    await shows(page, 'line 2');
    await page.keyboard.press('q');
    await page.getByText('The run has ended').waitFor();
    await close();
  });

  it('can be left with a shortcut, and takes every other key', async () => {
    const runId = await start('lines');
    const { page, checkAccess, close } = await scene.open(`/runs/${runId}`, {
      locale: 'zh-CN',
      colorScheme: 'dark',
    });
    await shows(page, 'ready');
    await checkAccess();
    const isInside = () => page.evaluate(`document.activeElement.matches('.xterm textarea')`);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Control+k');
    expect(await isInside()).toBe(true);
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.keyboard.press('Control+Shift+Space');
    expect(await isInside()).toBe(false);
    await page.keyboard.press('Tab');
    expect(await page.evaluate(`document.activeElement.getAttribute('aria-label')`)).toMatch(/^复制/);
    await page.getByLabel('终端', { exact: true }).last().focus();
    await page.keyboard.press('Control+u');
    await page.keyboard.type('end\n');
    await page.getByText('运行已结束').waitFor();
    await close();
  });

  it('restores its content after a reload, and answers a query once', async () => {
    const runId = await start('asking');
    // The script queries the terminal before a page is open, and waits.
    await written(hob, runId, 'ab');
    const { page, close } = await scene.open(`/runs/${runId}`);
    await shows(page, 'answer [1;3R[?1;2c');
    const other = await page.context().newPage();
    await other.goto(page.url());
    await shows(other, 'Now?');
    await page.reload();
    await shows(page, 'answer [1;3R[?1;2c');
    await page.keyboard.type('from one');
    await shows(other, 'from one');
    await other.keyboard.type(' and the other');
    await shows(page, 'and the other');
    await page.keyboard.press('Enter');
    await shows(other, "line 'from one and the other'");
    await shows(page, "line 'from one and the other'");
    await close();
  });

  it('does not answer queries that a script has stopped waiting for', async () => {
    const runId = await start('giving-up');
    const askName = async (times: number) => {
      await type(hob, runId, 'yes\n');
      const asked = async () => (await outputOf(hob, runId)).split('Name? ').length - 1;
      await expect.poll(asked).toBe(times);
    };
    await askName(1);
    const { page, close } = await scene.open(`/runs/${runId}`);
    await shows(page, 'Name?');
    await page.reload();
    await shows(page, 'Name?');
    await page.keyboard.type('Ada\n');
    await shows(page, "read 'Ada'");
    await turnToTab(page, 'hidden');
    await askName(2);
    await turnToTab(page, 'visible');
    await expect.poll(() => page.locator('.xterm-rows').textContent()).toMatch(/Name\?.*Name\?/);
    await page.keyboard.type('Bob\n');
    await shows(page, "read 'Bob'");
    await close();
    await hob.post(`/api/runs/${runId}/cancel`, {});
  });

  it('pastes many lines in order', async () => {
    const runId = await start('lines');
    const { page, close } = await scene.open(`/runs/${runId}`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await shows(page, 'ready');
    const pasted = Array.from({ length: 200 }, (_, line) => `${line} 中文`).join('\n');
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(`${pasted}\nend\n`)})`);
    await page.keyboard.press('Control+v');
    await page.getByText('The run has ended').waitFor();
    const echoed = (await outputOf(hob, runId)).match(/<\d+ 中文>/g) ?? [];
    expect(echoed).toEqual(pasted.split('\n').map((line) => `<${line}>`));
    await close();
  });

  it('is usable on a phone', async () => {
    const runId = await start('patient');
    const { page, checkAccess, close } = await scene.open(`/runs/${runId}`, {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    });
    await shows(page, 'ready');
    await checkAccess();
    const isWider = () => page.evaluate('document.documentElement.scrollWidth > innerWidth');
    expect(await isWider()).toBe(false);
    await page.getByRole('button', { name: 'Ctrl+C' }).tap();
    await shows(page, 'KeyboardInterrupt');
    await close();
  });

  it('survives a restart of the service, and sends the input typed meanwhile', async () => {
    const runId = await start('lines');
    const { page, expects, close } = await scene.open(`/runs/${runId}`);
    await shows(page, 'ready');
    await page.keyboard.type('be');
    await written(hob, runId, 'be');
    expects(isAway);
    await hob.stop('SIGKILL');
    await page.getByText('Your input is sent when it is back').waitFor();
    await page.keyboard.type('tween\n');
    hob = await launchHob({ home: hob.home, scripts: [scene.scripts] });
    await shows(page, '<between>');
    await page.keyboard.type('after\n');
    await shows(page, '<after>');
    await page.keyboard.type('end\n');
    await page.getByText('The run has ended').waitFor();
    expect(await outputOf(hob, runId)).toBe('ready\nbetween\n<between>\nafter\n<after>\nend\n<end>\n');
    await close();
  });
});

/** Waits until the terminal shows a text. */
async function shows(page: Page, text: string): Promise<void> {
  await page.locator('.xterm-rows').filter({ hasText: text }).waitFor();
}
