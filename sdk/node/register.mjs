// Lets modules import 'hob' where nothing of that name is installed: they do not look where NODE_PATH points to.
import module from 'node:module';

import { resolveSync } from './resolve-hob.mjs';

// The newer way needs no thread of its own.
if (module.registerHooks) module.registerHooks({ resolve: resolveSync });
else module.register('./resolve-hob.mjs', import.meta.url);
