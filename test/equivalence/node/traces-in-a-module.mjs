function inner() {
  console.trace('here');
  console.log(new Error('stack').stack.split('\n').slice(0, 3).join('\n'), Error.stackTraceLimit);
}
inner();
