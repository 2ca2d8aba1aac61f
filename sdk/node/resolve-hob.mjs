const own = { url: new URL('./hob/hob.mjs', import.meta.url).href, format: 'module', shortCircuit: true };

/** What is installed under that name beside the script is what the script means; ours is for those who have none. */
export async function resolve(specifier, context, next) {
  try {
    return await next(specifier, context);
  } catch (error) {
    return instead(specifier, error);
  }
}

/** The same for a Node that asks in its own thread. */
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
