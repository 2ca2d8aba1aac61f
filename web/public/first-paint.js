// Runs before the first paint, so that the page does not flash in the wrong theme.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem('hob.theme');
  } catch {
    // Storage may be blocked. The preference of the browser applies then.
  }
  const isDark =
    chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
})();
