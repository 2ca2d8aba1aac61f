function inner() {
  console.trace('here');
  const { stack } = new Error('stack');
  console.log(stack.split('\n').slice(0, 3).join('\n'), Error.stackTraceLimit, Error.prepareStackTrace);
}
inner();
