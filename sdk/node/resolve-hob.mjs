const own = { url: new URL('./hob/hob.mjs', import.meta.url).href, format: 'module', shortCircuit: true };

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
  if (specifier === 'hob' && /MODULE_NOT_FOUND$/.test(error.code)) return own;
  throw error;
}
