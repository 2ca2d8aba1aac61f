process.on('unhandledRejection', (error, promise) => console.log(error.message, promise instanceof Promise));
process.on('warning', (warning) => console.log(warning.name));
Promise.reject(new Error('rejected'));
