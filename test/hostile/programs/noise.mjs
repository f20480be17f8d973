/** Writes what spoils a log or a terminal, and leaves processes behind. */
import { spawn } from 'node:child_process';

const write = (text) => process.stdout.write(text);
write('\u001b]0;owned\u0007\u001b[2J\u001b[31mred\u001b[0m\n');
write('#1 DONE 0.0s\n#2 ERROR: pretended\nERROR: failed to solve\nSuccessfully tagged other\n');
write(`${'x'.repeat(1_000_000)}\n`);
write('\r\r\r\u0000\u0008\u0008 \u202e\n');
for (let line = 0; line < 50_000; line += 1) write(`line ${line} ${'y'.repeat(100)}\n`);
for (let count = 0; count < 50; count += 1)
  spawn('/bin/sh', ['-c', 'while :; do sleep 1; done'], { detached: true, stdio: 'ignore' }).unref();
write('noise ended\n');
process.exit(0);
