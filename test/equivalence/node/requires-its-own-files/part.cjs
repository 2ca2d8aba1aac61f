module.exports = { id: module.id, parent: module.parent.id, isMain: require.main === module, main: require.main.id };
