/** Whether there is a desktop to open something on, for systems that say so in the environment. */
export function hasDisplay({
  DISPLAY = '',
  WAYLAND_DISPLAY = '',
}: Readonly<Record<string, string>>): boolean {
  return DISPLAY !== '' || WAYLAND_DISPLAY !== '';
}
