import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const floodId = '7d000000-8f43-4b0e-9d0e-3f2d6a1f7c11';

const ticksPerSecond = 50;

/**
 * A script that writes very many lines, says so by a file, waits until that is gone, and writes on at an even pace. Some lines have colours,
 * some go to stderr; the last one has the time at which it was written.
 */
export function writeFloodScript(folder, { written, linesPerSecond, seconds, gate }) {
  mkdirSync(folder);
  writeFileSync(
    join(folder, 'script.toml'),
    `[service.info]
id = "${floodId}"
name = "Flood"
[service.runtime]
language = "python"
entry = "main.py"
terminal = "never"
`,
  );
  writeFileSync(
    join(folder, 'main.py'),
    `import os, sys, time
gate = ${JSON.stringify(gate)}
number = 0
def write(count):
    global number
    for _ in range(count):
        number += 1
        text = f"line {number} of a script that has a lot to say, and goes on for a while"
        if number % 10 == 0: text = f"\\033[32m{text}\\033[0m"
        print(text, file=sys.stderr if number % 50 == 0 else sys.stdout)
write(${written})
sys.stdout.flush()
open(gate, "w").close()
while os.path.exists(gate): time.sleep(0.01)
began = time.monotonic()
for tick in range(${seconds * ticksPerSecond}):
    write(${linesPerSecond / ticksPerSecond})
    sys.stdout.flush()
    time.sleep(max(0, began + (tick + 1) / ${ticksPerSecond} - time.monotonic()))
print(f"written at {round(time.time() * 1000)}", flush=True)
`,
  );
}
