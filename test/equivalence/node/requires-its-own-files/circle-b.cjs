exports.seen = Object.keys(require('./circle-a.cjs'));
