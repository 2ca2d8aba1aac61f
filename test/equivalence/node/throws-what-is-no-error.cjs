throw { code: 1, words: 'not an error' };
