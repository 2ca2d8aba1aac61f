'use strict';
const fs = require('node:fs');

/** Reads the arguments of the script: from the parameter file of Hob, or from the command line. */
function readArguments(words) {
  const file = parameterFile(words[0]);
  if (file === null) {
    const { inputs, params } = readCommandLine(words);
    return { isUnderHob: false, environment: {}, data: inputs, inputs, params };
  }
  const { environment, data, params } = file;
  return { isUnderHob: true, environment, data, inputs: inputsIn(data), params: params ?? {} };
}

function parameterFile(path) {
  if (!path?.endsWith('.json')) return null;
  try {
    const content = JSON.parse(fs.readFileSync(path, 'utf8'));
    return typeof content?.environment?.output_json === 'string' ? content : null;
  } catch {
    return null;
  }
}

function inputsIn(data) {
  const values = Array.isArray(data) ? data : Object.values(data ?? {})[0];
  return Array.isArray(values) ? values.filter((value) => typeof value === 'string') : [];
}

/** Parses words such as `a.png --quality 3 --mode=fast --force`. Words after `--` are inputs. */
function readCommandLine(words) {
  const inputs = [];
  const params = {};
  const rest = [...words];
  while (rest.length > 0) {
    const word = rest.shift();
    if (word === '--') return { inputs: [...inputs, ...rest], params };
    const option = /^--([^=]+)(?:=(.*))?$/s.exec(word);
    if (option === null) {
      inputs.push(word);
      continue;
    }
    const isFlag = rest.length === 0 || rest[0].startsWith('--');
    params[option[1].replaceAll('-', '_')] = fromText(option[2] ?? (isFlag ? 'true' : rest.shift()));
  }
  return { inputs, params };
}

function fromText(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

module.exports = { readArguments };
