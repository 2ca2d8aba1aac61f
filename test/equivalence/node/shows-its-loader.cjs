const Module = require('node:module');
console.log(Object.keys(Module._extensions), Module.globalPaths.every((path) => !path.includes('/dist/')), Module._initPaths.name);
console.log(Object.keys(Module._pathCache).filter((key) => key.includes('/dist/')), Module.prototype._compile.name);
console.log(process.features, process.release.name, process.allowedNodeEnvironmentFlags.size, process.report?.excludeNetwork);
console.log(process.getActiveResourcesInfo(), process.uptime() >= 0, performance.timeOrigin > 0);
