process.stdout.write('x'.repeat(30_000));
process.stderr.write('y'.repeat(30_000));
process.exit(1);
