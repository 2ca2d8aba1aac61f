module.exports = { parent: module.parent, main: require.main, isMain: require.main === module };
