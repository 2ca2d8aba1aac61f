module.exports = 'beside';
