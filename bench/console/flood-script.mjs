import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ticksPerSecond = 50;

/**
 * Writes a script that prints very many lines, creates a file, waits until that file is removed, and prints more lines at a steady pace. Some lines
 * are coloured (or every character), some go to stderr, and the last one contains the time at which it was printed.
 */
export function writeFloodScript(folder, { id, written, linesPerSecond, seconds, gate, isRainbow }) {
  mkdirSync(folder);
  writeFileSync(
    join(folder, 'script.toml'),
    `[service.info]
id = "${id}"
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
rainbow = ${isRainbow ? 'True' : 'False'}
number = 0
def write(count):
    global number
    for _ in range(count):
        number += 1
        text = f"line {number} of a script that has a lot to say, and goes on for a while"
        if rainbow: text = "".join(f"\\033[38;5;{16 + (number + at) % 200}m{each}" for at, each in enumerate(text)) + "\\033[0m"
        elif number % 10 == 0: text = f"\\033[32m{text}\\033[0m"
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
