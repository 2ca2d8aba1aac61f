import { describe, expect, it } from 'vitest';

import { parsePatterns, parseRepo } from './parse-repo.ts';

describe('what is typed for a model', () => {
  it('is its name', () => {
    expect(parseRepo(' openai/whisper-tiny ')).toEqual({ repoId: 'openai/whisper-tiny', source: null });
  });

  it.each([
    ['https://huggingface.co/openai/whisper-tiny', 'openai/whisper-tiny', 'huggingface'],
    ['https://huggingface.co/openai/whisper-tiny/tree/main', 'openai/whisper-tiny', 'huggingface'],
    ['https://hf-mirror.com/openai/whisper-tiny', 'openai/whisper-tiny', 'huggingface'],
    ['https://www.modelscope.cn/models/qwen/Qwen-7B/summary', 'qwen/Qwen-7B', 'modelscope'],
  ])('or the address of its page: %s', (address, repoId, source) => {
    expect(parseRepo(address)).toEqual({ repoId, source });
  });

  it('is left as it is where it is no model, for the service to say so', () => {
    expect(parseRepo('https://huggingface.co/')).toMatchObject({ repoId: 'https://huggingface.co/' });
  });

  it('is patterns with lines or commas between them', () => {
    expect(parsePatterns('*.onnx, config.json\n\nonnx/，a')).toEqual(['*.onnx', 'config.json', 'onnx/', 'a']);
  });
});
