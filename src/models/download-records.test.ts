import { describe, expect, it } from 'vitest';

import { joinAsked } from './download-records.ts';

describe('joinAsked', () => {
  it.each([
    [null, ['*.onnx'], ['*.onnx']],
    [['*.onnx'], ['*.json', '*.onnx'], ['*.json', '*.onnx']],
    [[], ['*.onnx'], []],
    [['*.onnx'], [], []],
    [null, [], []],
  ])('joins %j and %j to %j', (before, now, joined) => {
    expect(joinAsked(before, now)).toEqual(joined);
  });
});
