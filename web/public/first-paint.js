// Before anything is painted: a page in the wrong colours would flash.
(() => {
  const chosen = localStorage.getItem('hob.theme');
  const isDark =
    chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
})();
