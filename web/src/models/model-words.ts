import type { Model } from '../api/wire.ts';
import type { Say } from '../language/language.tsx';

export function stateWord(state: Model['state'], say: Say): string {
  const words: Readonly<Record<Model['state'], string>> = {
    complete: say('Complete', '完整'),
    partial: say('Incomplete', '不完整'),
    missing: say('Missing', '未下载'),
  };
  return words[state];
}

export const sourceNames: Readonly<Record<NonNullable<Model['source']>, string>> = {
  huggingface: 'Hugging Face',
  modelscope: 'ModelScope',
};

export function placeWord(place: NonNullable<Model['place']>, say: Say): string {
  const words: Readonly<Record<NonNullable<Model['place']>, string>> = {
    own: say("Hob's model folder", 'Hob 的模型文件夹'),
    huggingface: say('Hugging Face cache', 'Hugging Face 缓存'),
    modelscope: say('ModelScope cache', 'ModelScope 缓存'),
    extra: say('Your folder', '你的文件夹'),
  };
  return words[place];
}
