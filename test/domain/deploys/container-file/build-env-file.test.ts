import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseEnv } from 'node:util';
import { buildEnvFile } from '../../../../domain/deploys/container-file/build-env-file.ts';

test('values are read back as they were given', () => {
  const values = {
    PLAIN: 'https://a.example/x?y=1&z=2',
    EMPTY: '',
    BLANKS: '  two words  ',
    HASH: 'a # b',
    SINGLE: "it's",
    DOUBLE: 'say "x"',
    BOTH: `it's "x"`,
    LINES: 'one\ntwo\n',
    EQUALS: 'a=b=c',
    BACKSLASH: 'C:\\new\\dir',
    JSON: '{"a":[1,"b"]}',
  };
  const file = buildEnvFile(values);
  assert.deepEqual({ ...parseEnv(file?.text ?? '') }, values);
});

test('a dollar sign is escaped, so that nothing is put in its place', () => {
  assert.equal(buildEnvFile({ A: 'pa$HOME' })?.text, "A='pa\\$HOME'\n");
});

test('a value that ends with a backslash takes nothing of the next one', () => {
  const values = { FOLDER: 'C:\\data files\\', COLOUR: '#fff', BLANK: ' ', LAST: "it's" };
  const file = buildEnvFile(values)?.text ?? '';
  assert.deepEqual({ ...parseEnv(file) }, values);
  // How dotenv finds a name and its value, and so Next.js and Vite.
  const line =
    /^\s*([\w.-]+)\s*=\s*?(\s*'(?:\\'|[^'])*'|\s*"(?:\\"|[^"])*"|\s*`(?:\\`|[^`])*`|[^#\r\n]+)?\s*(?:#.*)?$/gm;
  const names = [...file.matchAll(line)].map(([, name]) => name);
  assert.deepEqual(names, Object.keys(values));
});

test('only names are told, keys without a value are left out, and nothing makes no file', () => {
  assert.deepEqual(buildEnvFile({ A: 'secret', B: null, C: undefined })?.names, ['A']);
  assert.equal(buildEnvFile({ B: null }), null);
  assert.equal(buildEnvFile({}), null);
});
