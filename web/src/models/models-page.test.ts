import { describe, expect, it } from 'vitest';

import { parsePatterns, parseRepo } from './models-page.tsx';

describe('parseRepo', () => {
  it('accepts owner/name', () => {
    expect(parseRepo(' openai/whisper-tiny ')).toEqual({ repoId: 'openai/whisper-tiny', source: null });
  });

  it.each([
    ['https://huggingface.co/openai/whisper-tiny', 'openai/whisper-tiny', 'huggingface'],
    ['https://huggingface.co/openai/whisper-tiny/tree/main', 'openai/whisper-tiny', 'huggingface'],
    ['https://hf-mirror.com/openai/whisper-tiny', 'openai/whisper-tiny', 'huggingface'],
    ['https://www.modelscope.cn/models/qwen/Qwen-7B/summary', 'qwen/Qwen-7B', 'modelscope'],
  ])('accepts the URL of a model page: %s', (address, repoId, source) => {
    expect(parseRepo(address)).toEqual({ repoId, source });
  });

  it('returns other text unchanged, for the service to refuse', () => {
    expect(parseRepo('https://huggingface.co/')).toMatchObject({ repoId: 'https://huggingface.co/' });
  });

  it('splits patterns at line breaks and commas', () => {
    expect(parsePatterns('*.onnx, config.json\n\nonnx/，a')).toEqual(['*.onnx', 'config.json', 'onnx/', 'a']);
  });
});
