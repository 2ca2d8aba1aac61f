import { randomBytes } from 'node:crypto';
import { win32 } from 'node:path';

import { longestTimerMs } from '../../shared/longest-timer.ts';
import { bodyText, signedTitle } from './bubble-text.ts';
import type { Bubble } from './desktop.ts';
import { DesktopCommand, type DesktopOptions } from './desktop-command.ts';

/**
 * Programs for Windows PowerShell. They are constant: texts are passed in environment variables, which Windows keeps in UTF-16, and
 * become document nodes. Standard input would be decoded with the code page of a console.
 */
const types = `
$ErrorActionPreference = 'Stop'
$null = [Windows.UI.Notifications.ToastNotificationManager, Windows.UI.Notifications, ContentType = WindowsRuntime]
$null = [Windows.UI.Notifications.ToastNotification, Windows.UI.Notifications, ContentType = WindowsRuntime]
$null = [Windows.Data.Xml.Dom.XmlDocument, Windows.Data.Xml.Dom.XmlDocument, ContentType = WindowsRuntime]
# Only a registered program may show toasts. Windows PowerShell is one.
$app = '{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}\\WindowsPowerShell\\v1.0\\powershell.exe'
`;

export const showProgram = `${types}
$document = New-Object System.Xml.XmlDocument
function Add-Element($parent, $name, $attributes) {
  $element = $document.CreateElement($name)
  foreach ($key in $attributes.Keys) { $element.SetAttribute($key, [string]$attributes[$key]) }
  $null = $parent.AppendChild($element)
  , $element
}
$root = Add-Element $document 'toast' @{ duration = $env:HOB_TOAST_DURATION }
if ($env:HOB_TOAST_ADDRESS) {
  $root.SetAttribute('activationType', 'protocol')
  $root.SetAttribute('launch', $env:HOB_TOAST_ADDRESS)
}
if ($env:HOB_TOAST_STAYS) { $root.SetAttribute('scenario', 'reminder') }
$visual = Add-Element $root 'visual' @{}
$binding = Add-Element $visual 'binding' @{ template = 'ToastGeneric' }
foreach ($text in @($env:HOB_TOAST_TITLE, $env:HOB_TOAST_MESSAGE)) {
  if (-not $text) { continue }
  $element = Add-Element $binding 'text' @{}
  $null = $element.AppendChild($document.CreateTextNode($text))
}
if ($env:HOB_TOAST_CLOSE) {
  $actions = Add-Element $root 'actions' @{}
  $null = Add-Element $actions 'action' @{ activationType = 'system'; arguments = 'dismiss'; content = '' }
}
$content = New-Object Windows.Data.Xml.Dom.XmlDocument
$content.LoadXml($document.OuterXml)
$toast = New-Object Windows.UI.Notifications.ToastNotification $content
$toast.Tag = $env:HOB_TOAST_TAG
$toast.Group = 'hob'
[Windows.UI.Notifications.ToastNotificationManager]::CreateToastNotifier($app).Show($toast)
`;

export const removeProgram = `${types}
[Windows.UI.Notifications.ToastNotificationManager]::History.Remove($env:HOB_TOAST_TAG, 'hob', $app)
`;

/** Windows has two durations, `short` and `long`; longer notifications use the second. */
const longFromMs = 7000;
/** Maximum that Windows keeps for one program. */
const mostToasts = 20;

/** The Windows desktop, through Windows PowerShell: newer versions of PowerShell cannot show toasts. */
export class WindowsDesktop extends DesktopCommand {
  /** Visible toasts by tag, oldest first. */
  readonly #timers = new Map<string, NodeJS.Timeout>();

  constructor(options: DesktopOptions) {
    const hint =
      'Notifications need Windows 10 or later, with Windows PowerShell 5.1 and notifications enabled.';
    super(powershellIn(options.environment), hint, options);
  }

  async show(bubble: Bubble): Promise<boolean> {
    const { durationMs } = bubble;
    const tag = randomBytes(6).toString('hex');
    const isShown = await this.run(powershellArguments(showProgram), dataOf(bubble, tag));
    if (isShown && durationMs > 0) this.#removeLater(tag, durationMs);
    return isShown;
  }

  override close(): Promise<void> {
    for (const tag of this.#timers.keys()) this.#forget(tag);
    return super.close();
  }

  #removeLater(tag: string, durationMs: number): void {
    const remove = () => {
      this.#timers.delete(tag);
      void this.run(powershellArguments(removeProgram), { HOB_TOAST_TAG: tag });
    };
    this.#timers.set(tag, setTimeout(remove, Math.min(durationMs, longestTimerMs)).unref());
    const [oldest] = this.#timers.keys();
    if (this.#timers.size > mostToasts && oldest !== undefined) this.#forget(oldest);
  }

  #forget(tag: string): void {
    clearTimeout(this.#timers.get(tag));
    this.#timers.delete(tag);
  }
}

/** The full path if known: Windows would search the current folder first for a bare name. */
function powershellIn({ SystemRoot }: Readonly<Record<string, string>>): string {
  const file = 'powershell.exe';
  return SystemRoot ? win32.join(SystemRoot, 'System32', 'WindowsPowerShell', 'v1.0', file) : file;
}

function dataOf(bubble: Bubble, tag: string): Record<string, string> {
  const { type, title, message, durationMs, showClose, address } = bubble;
  const stays = durationMs === 0;
  return {
    HOB_TOAST_TAG: tag,
    HOB_TOAST_TITLE: inXml(signedTitle(type, title)),
    HOB_TOAST_MESSAGE: inXml(bodyText(message, false)),
    HOB_TOAST_DURATION: stays || durationMs >= longFromMs ? 'long' : 'short',
    HOB_TOAST_ADDRESS: isPage(address) ? address : '',
    // Windows keeps a reminder visible only if it has a button.
    HOB_TOAST_CLOSE: showClose || stays ? 'yes' : '',
    HOB_TOAST_STAYS: stays ? 'yes' : '',
  };
}

/** XML cannot represent these characters, not even as a reference. */
function inXml(text: string): string {
  return text.replace(/[\ufffe\uffff]/g, '\ufffd');
}

/** Any other scheme would start the program that handles it. */
function isPage(address: string | null): address is string {
  return address !== null && URL.canParse(address) && new URL(address).protocol === 'http:';
}

/** Arguments that make Windows PowerShell run a program, encoded so that quoting cannot break it. */
function powershellArguments(program: string): string[] {
  const encoded = Buffer.from(program, 'utf16le').toString('base64');
  return ['-NoLogo', '-NoProfile', '-NonInteractive', '-EncodedCommand', encoded];
}
