require('./broken.cjs');
