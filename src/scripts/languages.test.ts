import { describe, expect, it } from 'vitest';

import { languageFromExtension, languageFromName, languageRecords, languages } from './languages.ts';

describe('the record of a language', () => {
  it.each(languages)('of %s says in exactly one way how a script is started', (name) => {
    const { interpreter, interpretedBy, open } = languageRecords[name];
    expect([interpreter, interpretedBy, open].filter((way) => way !== undefined)).toHaveLength(1);
  });

  it('has no spelling or extension of another language', () => {
    for (const name of languages) {
      const { aliases = [], extensions = [] } = languageRecords[name];
      for (const alias of [name, ...aliases]) expect(languageFromName(alias), alias).toBe(name);
      for (const extension of extensions) expect(languageFromExtension(extension), extension).toBe(name);
    }
  });
});
