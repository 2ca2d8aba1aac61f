import { ids } from './scripts.mjs';

/** The pages, and the actions before the screenshot is taken. */
export const pages = [
  { name: 'scripts', path: () => '/', act: (page) => page.getByText('Nightly backup').first().waitFor() },
  {
    name: 'palette',
    path: () => '/',
    async act(page) {
      await page.getByText('Nightly backup').first().waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('option').first().waitFor();
    },
  },
  {
    name: 'script',
    path: () => `/scripts/${ids.resize}`,
    act: (page) => page.getByRole('textbox').first().waitFor(),
  },
  {
    name: 'run',
    path: async (scene) => `/runs/${await scene.running()}`,
    act: (page) => page.getByText('photos-2024').first().waitFor(),
  },
  {
    name: 'run-result',
    path: (scene) => `/runs/${scene.chain}`,
    act: (page) => page.getByText('Publish the album').first().waitFor(),
  },
  {
    name: 'run-failed',
    path: (scene) => `/runs/${scene.failed}`,
    act: (page) => page.getByText('FileNotFoundError').first().waitFor(),
  },
  {
    name: 'terminal',
    path: async (scene) => `/runs/${await scene.asking()}`,
    act: (page) => page.locator('.xterm-rows').getByText('album').first().waitFor(),
  },
  { name: 'runs', path: () => '/runs', act: (page) => page.getByText('Nightly backup').first().waitFor() },
  {
    name: 'overview',
    path: () => '/overview',
    act: (page) => page.getByText('Nightly backup').first().waitFor(),
  },
  { name: 'models', path: () => '/models', act: (page) => page.getByText('google-bert').first().waitFor() },
  {
    name: 'notifications',
    path: () => '/notifications',
    act: (page) => page.getByText('84').first().waitFor(),
  },
  {
    name: 'settings',
    path: () => '/settings',
    act: (page) => page.getByText('Python', { exact: false }).first().waitFor(),
  },
  { name: 'docs', path: () => '/docs', act: (page) => page.getByText('/api/execute').first().waitFor() },
];
