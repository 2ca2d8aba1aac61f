import './styles.css';

import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

import { App } from './app.tsx';
import { NotLoadedError } from './parts/lazy-part.ts';

const place = document.getElementById('root');
if (place === null) throw new Error('the page has no #root');
createRoot(place, {
  onCaughtError(error) {
    // PageBoundary handles this error.
    if (!(error instanceof NotLoadedError)) reportError(error);
  },
}).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
