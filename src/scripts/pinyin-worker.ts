import { parentPort, workerData } from 'node:worker_threads';

import { customPinyin, pinyin } from 'pinyin-pro';

/** The entry file of the thread that converts Chinese names to pinyin, sends them and exits. */
const names: readonly string[] = workerData;

// Frequent words in the names of scripts, which the dictionary lacks.
customPinyin({ 重命名: 'chóng mìng míng', 行数: 'háng shù' });

parentPort?.postMessage(
  names.map((name) =>
    pinyin(name, { toneType: 'none', type: 'array', nonZh: 'consecutive', v: true }).join(' '),
  ),
);
