setTimeout(function later() {
  throw new Error('later');
}, 1);
