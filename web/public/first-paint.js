// Before anything is painted: a page in the wrong colours would flash.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem('hob.theme');
  } catch {
    // A browser may keep nothing at all: its own preference holds.
  }
  const isDark =
    chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
})();
