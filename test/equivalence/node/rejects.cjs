Promise.reject(new Error('nobody cares'));
setTimeout(() => console.log('never printed'), 1000);
