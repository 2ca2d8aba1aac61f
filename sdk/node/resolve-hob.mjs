const folder = new URL('./hob/', import.meta.url);

/** The modules that Hob provides. */
const own = new Map(
  Object.entries({ hob: 'hob.mjs', 'hob/client': 'client.mjs' }).map(([specifier, file]) => [
    specifier,
    { url: new URL(file, folder).href, format: 'module', shortCircuit: true },
  ]),
);

/** Uses an installed package called 'hob' if there is one, otherwise the one that Hob provides. */
export async function resolve(specifier, context, next) {
  try {
    return await next(specifier, context);
  } catch (error) {
    return instead(specifier, error);
  }
}

/** Synchronous version, for module.registerHooks. */
export function resolveSync(specifier, context, next) {
  try {
    return next(specifier, context);
  } catch (error) {
    return instead(specifier, error);
  }
}

function instead(specifier, error) {
  const found = own.get(specifier);
  if (found !== undefined && /MODULE_NOT_FOUND$/.test(error.code)) return found;
  throw error;
}
