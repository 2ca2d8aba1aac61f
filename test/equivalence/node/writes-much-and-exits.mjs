process.stdout.write('x'.repeat(3_000_000));
process.stderr.write('y'.repeat(3_000_000));
process.exit(1);
