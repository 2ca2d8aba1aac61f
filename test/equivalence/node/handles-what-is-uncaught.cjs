process.on('uncaughtException', (error, origin) => console.log(origin, error.message));
process.on('exit', (code) => console.log('exit', code));
setTimeout(() => console.log('goes on'), 5);
Promise.reject(new Error('rejected'));
throw new Error('thrown');
