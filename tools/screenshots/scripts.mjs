import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const ids = {
  resize: '5b0c9c1e-4a17-4d53-9f2a-6f0f1c2d3e01',
  backup: '5b0c9c1e-4a17-4d53-9f2a-6f0f1c2d3e02',
  publish: '5b0c9c1e-4a17-4d53-9f2a-6f0f1c2d3e03',
  album: '5b0c9c1e-4a17-4d53-9f2a-6f0f1c2d3e04',
  tidy: '5b0c9c1e-4a17-4d53-9f2a-6f0f1c2d3e05',
};

/** Scripts of a person with many photos. */
const scripts = [
  {
    id: ids.resize,
    folder: 'resize-images',
    name: 'Resize images',
    desc: 'Makes smaller copies of pictures, for mail and the web.',
    entry: `import hob
run = hob.run()
run.ok("84 pictures", output_paths=["/home/ada/small/beach.jpg", "/home/ada/small/forest.jpg"])
`,
    more: `
[[service.inputs]]
name = "images"
label = "Pictures"
type = "list"
pick = "files"
exts = [".png", ".jpg", ".webp"]
description = "The pictures to make smaller. They stay as they are."
[[service.params]]
name = "mode"
label = "Compression"
type = "str"
default = "lossy"
choices = ["lossy", "lossless"]
choice_labels = { lossy = "Lossy, small files", lossless = "Lossless, every pixel" }
[[service.params]]
name = "quality"
label = "Quality"
type = "int"
default = 85
when = { field = "mode", eq = "lossy" }
description = "From 1 to 100."
[[service.params]]
name = "keep_dates"
label = "Keep the dates of the files"
type = "bool"
default = true
[[service.params]]
name = "sizes"
label = "Widths"
type = "list"
default = ["640", "1280"]
[[service.params]]
name = "upload_key"
label = "Key of the photo server"
type = "str"
secret = true
[service.node]
enabled = true
`,
  },
  {
    id: ids.backup,
    folder: 'nightly-backup',
    name: 'Nightly backup',
    desc: 'Copies the folders that matter to the disk in the cellar.',
    entry: `import sys, time, hob
run = hob.run()
for number in range(1, 400):
    colour = "\\033[32m" if number % 9 else "\\033[33m"
    print(f"{colour}copied\\033[0m  photos-2024/IMG_{4000 + number}.jpg  {1.2 + number % 7 / 10:.1f} MB")
    if number % 40 == 0: print("photos-2024/.cache is left out", file=sys.stderr)
    run.progress(0.62, "photos-2024, 248 of 400 files")
    if number > 60: time.sleep(600)
`,
    runtime: 'terminal = "never"',
  },
  {
    id: ids.publish,
    folder: 'publish-album',
    name: 'Publish the album',
    desc: 'Resizes the pictures of an album and puts them on the web.',
    entry: `import hob
run = hob.run()
print("resizing 84 pictures")
small = run.link("${ids.resize}", data=["/home/ada/album/beach.jpg"])
print("\\033[32muploaded\\033[0m 84 pictures")
run.notify("The album with 84 pictures is on the web", type="success")
run.ok("The album is on the web", pictures=84, address="https://photos.example.org/summer", output_paths=["/tmp"], sizes={"640": 84, "1280": 84})
`,
    runtime: 'terminal = "never"',
  },
  {
    id: ids.album,
    folder: 'new-album',
    name: 'New album',
    desc: 'Asks for a title and makes an album of a folder.',
    entry: `print("\\033[1mA new album\\033[0m\\n")
print("  1  beach.jpg\\n  2  forest.jpg\\n  3  harbour.jpg\\n")
title = input("Title of the album: ")
print("made", title)
`,
  },
  {
    id: ids.tidy,
    folder: 'tidy-scans',
    name: '整理扫描件',
    desc: '按日期和类型整理扫描的文件，重复的放进回收站。',
    entry: `import hob
@hob.main
def main(inputs: list):
    print("reading /home/ada/scans")
    with open("/home/ada/scans/index.csv") as file:
        return file.read()
`,
    runtime: 'terminal = "never"',
  },
];

export function writeScripts(folder) {
  for (const { id, folder: name, name: title, desc, entry, runtime = '', more = '' } of scripts) {
    const path = join(folder, name);
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, 'main.py'), entry);
    writeFileSync(
      join(path, 'script.toml'),
      `[service.info]\nid = "${id}"\nname = "${title}"\nversion = "1.2.0"\ndesc = "${desc}"\n\n[service.runtime]\nlanguage = "python"\nentry = "main.py"\n${runtime}\n${more}`,
    );
  }
  const broken = join(folder, 'scan-receipts');
  mkdirSync(broken);
  writeFileSync(
    join(broken, 'script.toml'),
    '[service.info]\nname = "Scan receipts"\nid = "receipts"\n\n[service.runtime]\nlanguage = "python"\nentry = "main.py"\n',
  );
}
