console.log('never printed');
