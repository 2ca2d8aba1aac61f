require('./of-nobody.cjs');
