// Lets ES modules import 'hob' if no package of that name is installed, because they ignore NODE_PATH.
import module from 'node:module';

import { resolveSync } from './resolve-hob.mjs';

// registerHooks is newer and needs no extra thread.
if (module.registerHooks) module.registerHooks({ resolve: resolveSync });
else module.register('./resolve-hob.mjs', import.meta.url);
