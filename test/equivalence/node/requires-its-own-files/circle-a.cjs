exports.early = 1;
exports.seen = require('./circle-b.cjs').seen;
