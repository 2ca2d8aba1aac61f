throw 'only text';
