import assert from 'node:assert/strict';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseEnv } from 'node:util';
import { envLine, envLines, replaceEnvLine } from '../../../infra/dev/recovery/env-lines.ts';

test('a value is plain where it can be, and in single quotes as a rule: Compose expands $word everywhere else', () => {
  for (const [value, line] of [
    ['AbC+/9==', 'A=AbC+/9==\n'],
    ['https://id.example.com:8443', 'A=https://id.example.com:8443\n'],
    ['Acme # one', "A='Acme # one'\n"],
    ['pa$word', "A='pa$word'\n"],
    ['say "hi" \\d $x `y`', 'A=\'say "hi" \\d $x `y`\'\n'],
    ['-----BEGIN\nx y\n-----END', "A='-----BEGIN\nx y\n-----END'\n"],
    ["it's", 'A="it\'s"\n'],
    ['', 'A=\n'],
  ] as const) {
    assert.equal(envLine('A', value), line);
    assert.equal(parseEnv(line).A, value);
  }
});

test('a value that no form gives back is refused by its name, and not shown', () => {
  for (const value of ["it's $5", `it's "so"`, "it's \\n", 'ends with \\', "'\r\n$"]) {
    assert.throws(
      () => envLines({ GOOD: 'x', SMTP_URL: value }),
      (error: Error & { code?: string }) =>
        error.code === 'VALIDATION_FAILED' && error.message.includes('SMTP_URL') && !error.message.includes(value),
      value,
    );
  }
});

test('a line takes the place of the one that a file has, and the file is closed to others', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-lines-'));
  const path = join(folder, 'worker.env');
  try {
    await replaceEnvLine(path, 'PLATFORM_RECOVERY', 'first');
    assert.equal(await readFile(path, 'utf8'), 'PLATFORM_RECOVERY=first\n');
    await writeFile(
      path,
      '# mine\nPLATFORM_RECOVERY=first\nexport PLATFORM_RECOVERY = "again"\nPLATFORM_RECOVERY_X=1\nA=b',
    );
    await chmod(path, 0o644);
    await replaceEnvLine(path, 'PLATFORM_RECOVERY', 'second');
    assert.equal(await readFile(path, 'utf8'), '# mine\nPLATFORM_RECOVERY_X=1\nA=b\nPLATFORM_RECOVERY=second\n');
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.deepEqual(await readdir(folder), ['worker.env']);
  } finally {
    await rm(folder, { recursive: true });
  }
});
