const error = new Error('outer', { cause: new RangeError('inner') });
error.code = 'OWN';
error.details = { list: [1, 2] };
throw error;
