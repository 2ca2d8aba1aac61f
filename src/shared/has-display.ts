/** Whether a desktop is available, on systems that report it in the environment. */
export function hasDisplay({
  DISPLAY = '',
  WAYLAND_DISPLAY = '',
}: Readonly<Record<string, string>>): boolean {
  return DISPLAY !== '' || WAYLAND_DISPLAY !== '';
}
