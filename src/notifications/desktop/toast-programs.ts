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

/** Shows a toast. */
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

/** Removes a toast. */
export const removeProgram = `${types}
[Windows.UI.Notifications.ToastNotificationManager]::History.Remove($env:HOB_TOAST_TAG, 'hob', $app)
`;

/** Arguments that make Windows PowerShell run a program, encoded so that quoting cannot break it. */
export function powershellArguments(program: string): string[] {
  const encoded = Buffer.from(program, 'utf16le').toString('base64');
  return ['-NoLogo', '-NoProfile', '-NonInteractive', '-EncodedCommand', encoded];
}
