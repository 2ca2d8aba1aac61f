const own = { url: new URL('./hob/hob.mjs', import.meta.url).href, format: 'module', shortCircuit: true };

/** What is installed under that name beside the script is what the script means. */
export async function resolve(specifier, context, next) {
  if (specifier !== 'hob') return next(specifier, context);
  try {
    return await next(specifier, context);
  } catch {
    return own;
  }
}

/** The same for a Node that asks in its own thread. `require` finds it by NODE_PATH. */
export function resolveSync(specifier, context, next) {
  if (specifier !== 'hob') return next(specifier, context);
  try {
    return next(specifier, context);
  } catch {
    return own;
  }
}
