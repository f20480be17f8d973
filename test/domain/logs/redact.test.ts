import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CUT_MARK, cutBeforeRedaction } from '../../../domain/logs/cut-line.ts';
import { createRedactor } from '../../../domain/logs/redact.ts';
import { isSensitiveName } from '../../../domain/logs/sensitive-names.ts';

const plain = createRedactor({ secrets: [] });
/** Joined here, so that no line of this file looks like a credential itself. */
const made = (...parts: readonly string[]) => parts.join('');
const GITHUB = made('ghp', '_', 'a1B2'.repeat(9));
const JWT = made('eyJ', 'hbGciOiJIUzI1NiJ9.eyJ', 'zdWIiOiIxIn0.c2ln');

const BY_SHAPE: readonly (readonly [string, string])[] = [
  ['postgres://app:p@ss@db:5432/x', 'postgres://app:[REDACTED]@db:5432/x'],
  ['mongodb+srv://u:p%40ss@h1,h2/db?w=1', 'mongodb+srv://u:[REDACTED]@h1,h2/db?w=1'],
  ['redis://:pw@cache:6379', 'redis://:[REDACTED]@cache:6379'],
  ['git clone https://x-access-token:abc@host/r.git', 'git clone https://x-access-token:[REDACTED]@host/r.git'],
  [`https://${GITHUB}@github.com/a/b`, 'https://[REDACTED]@github.com/a/b'],
  ['authorization: Bearer abc', 'authorization: [REDACTED]'],
  ['< Set-Cookie: sid=1; Path=/', '< Set-Cookie: [REDACTED]'],
  ['Cookie: a=1; b=2', 'Cookie: [REDACTED]'],
  ['x-internal-key: k', 'x-internal-key: [REDACTED]'],
  ["curl -H 'X-Api-Key: k1' http://a", "curl -H 'X-Api-Key: [REDACTED]' http://a"],
  ['sent Bearer abcdefgh12345 to it', 'sent Bearer [REDACTED] to it'],
  ['basic dXNlcjpwYXNz', 'basic [REDACTED]'],
  ['DB_PASSWORD=hunter2 NODE_ENV=production', 'DB_PASSWORD=[REDACTED] NODE_ENV=production'],
  ['API_KEY="a b c" next', 'API_KEY="[REDACTED]" next'],
  ["secret: 'x y'", "secret: '[REDACTED]'"],
  ['{"password": "a\\"b", "user": "me"}', '{"password": "[REDACTED]", "user": "me"}'],
  ['{"clientSecret":"x","n":1}', '{"clientSecret":"[REDACTED]","n":1}'],
  ['"{\\"token\\":\\"x\\",\\"n\\":1}"', '"{\\"token\\":\\"[REDACTED]\\",\\"n\\":1}"'],
  ['--set env.JWT_SECRET=abc --wait', '--set env.JWT_SECRET=[REDACTED] --wait'],
  ['IDP_CLIENT_SECRET=abc', 'IDP_CLIENT_SECRET=[REDACTED]'],
  ['CONFIG_ENCRYPTION_KEY=abc', 'CONFIG_ENCRYPTION_KEY=[REDACTED]'],
  [`found ${GITHUB}.`, 'found [REDACTED].'],
  [made('ghp', '_', 'a1b2'.repeat(5)), '[REDACTED]'],
  [made('npm', '_', 'a1b2'.repeat(5)), '[REDACTED]'],
  [made('github', '_pat_', 'x'.repeat(40)), '[REDACTED]'],
  [made('glpat', '-', 'x'.repeat(20)), '[REDACTED]'],
  [made('flcs', '_', 'x'.repeat(43)), '[REDACTED]'],
  [made('flss', '_', 'x'.repeat(43)), '[REDACTED]'],
  [`grt_${'0'.repeat(20)}.12.${'x'.repeat(43)}`, `grt_${'0'.repeat(20)}.[REDACTED]`],
  [made('npm', '_', 'x'.repeat(36)), '[REDACTED]'],
  [made('AKIA', 'ABCDEFGHIJKLMNOP'), '[REDACTED]'],
  [`/keys/${made('ASIA', 'ABCDEFGHIJKLMNOP')}`, '/keys/[REDACTED]'],
  [made('eyJ', 'hbGciOiJIUzI1NiJ9.', 'eyJzdWIiOiIxIn0'), '[REDACTED]'],
  [`id ${made('AKIA', 'ABCDEFGHIJKLMNOP')} end`, 'id [REDACTED] end'],
  [`jwt ${JWT} end`, 'jwt [REDACTED] end'],
];

for (const [line, expected] of BY_SHAPE) {
  test(`redacted by shape, once and for all: ${expected}`, () => {
    assert.equal(plain(line), expected);
    assert.equal(plain(expected), expected);
  });
}

const UNTOUCHED = [
  'Step 3/10 : RUN npm ci --omit=dev',
  'https://registry.example/a/-/a-1.0.0.tgz',
  'GET http://localhost:3000/health answered 200',
  'added 69 packages in 2s',
  'author: me, tokens: 500, keyboard=qwerty',
  'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  'req_0123456789abcdefghjk',
  'tokenEndpoint=https://id.example/token',
];

test('ordinary lines stay as they are', () => {
  for (const line of UNTOUCHED) assert.equal(plain(line), line);
});

test('a known secret is found in every form it is written in', () => {
  const secret = 's3cr3t/va lue+"ü\nsecond line';
  const redact = createRedactor({ secrets: [secret] });
  const forms = [
    secret,
    's3cr3t/va lue+"ü',
    'second line',
    btoa(String.fromCharCode(...new TextEncoder().encode(secret))),
    encodeURIComponent(secret),
    encodeURIComponent(secret).replaceAll('%20', '+'),
    JSON.stringify(secret).slice(1, -1),
  ];
  for (const form of forms) assert.equal(redact(`before ${form} after`).replace(/=+ /, ' '), 'before [REDACTED] after');
});

test('a secret that contains another one is replaced whole', () => {
  assert.equal(createRedactor({ secrets: ['abcd', 'abcdefgh', 'xabcdx'] })('abcdefgh xabcdx'), '[REDACTED] [REDACTED]');
});

test('secrets with characters of patterns are taken literally', () => {
  assert.equal(
    createRedactor({ secrets: ['a.*b$1', '^(x|y)+[z]'] })('a.*b$1 aXXb$1 ^(x|y)+[z]'),
    '[REDACTED] aXXb$1 [REDACTED]',
  );
});

test('secrets that overlap in a line leave nothing of either', () => {
  const redact = createRedactor({ secrets: ['abcdef', 'defghi', 'bcd'] });
  assert.equal(redact('x abcdefghi y'), 'x [REDACTED] y');
  assert.equal(redact('abcde defgh'), 'abcde defgh');
});

test('many secrets that begin alike are each found, and what only begins alike is kept', () => {
  const secrets = Array.from({ length: 500 }, (_, index) => `common-${String(index).padStart(5, '0')}`);
  const redact = createRedactor({ secrets });
  for (const secret of secrets) assert.equal(redact(`<${secret}>`), '<[REDACTED]>');
  assert.equal(redact('<common-00777> ä <common-00042>'), '<common-00777> ä <[REDACTED]>');
});

test('a large value of short lines is found line by line, and neither fails nor shows itself', () => {
  const lines = Array.from({ length: 6_500 }, (_, index) => (0x10000 + index * 7).toString(36));
  const redact = createRedactor({ secrets: [lines.join('\n')] });
  for (const line of lines) assert.equal(redact(`a ${line} b`), 'a [REDACTED] b');
});

test('with 2 MB of secrets a line of a million characters is finished', () => {
  const secrets = Array.from({ length: 60 }, (_, index) => `${'a'.repeat(32_000)}${index}`);
  const redact = createRedactor({ secrets });
  assert.equal(redact('a'.repeat(1_000_000)).length, 1_000_000);
  assert.equal(redact(`${'a'.repeat(40_000)}7`), `${'a'.repeat(8_000)}[REDACTED]`);
});

test('a secret that is part of the replacement changes no redacted line again', () => {
  const redact = createRedactor({ secrets: ['REDACTED', 'RED', 'hunter22'] });
  assert.equal(redact(redact('hunter22')), '[REDACTED]');
});

test('of a line that was cut, what may be the beginning of a secret is left out', () => {
  const redact = createRedactor({ secrets: ['correct horse battery', 'hunter22'] });
  assert.equal(redact(`a correct horse bat${CUT_MARK}`), 'a …');
  assert.equal(redact(`a hunter22 b hunt${CUT_MARK}`), 'a [REDACTED] b …');
  assert.equal(redact(`at postgres://app:hal${CUT_MARK}`), 'at …');
  assert.equal(redact(`API_KEY="a b${CUT_MARK}`), 'API_KEY="[REDACTED]"');
  assert.equal(redact(`nothing of the kind${CUT_MARK}`), 'nothing of the …');
  assert.equal(redact('a correct horse bat'), 'a correct horse bat');
});

test('a secret is found wherever its line is cut, in each form it is written in', () => {
  const secret = 's3cr3t/va lue+"ü😀';
  const redact = createRedactor({ secrets: [secret] });
  for (const form of [secret, encodeURIComponent(secret), JSON.stringify({ secret: `${secret}"` })]) {
    for (let characters = CUT_MARK.length; characters < form.length + 60; characters += 1) {
      const line = `to be said: ${form} and more, so that it is cut at some place or another`;
      const shown = redact(cutBeforeRedaction(line, characters));
      for (const part of ['s3c', 'va', 'lue', 'ü', '😀', '%F0']) assert.ok(!shown.includes(part), shown);
    }
  }
});

test('empty and very short secrets change nothing', () => {
  assert.equal(createRedactor({ secrets: ['', 'a', 'abc', '    '] })('abc a    b'), 'abc a    b');
});

test('names are sensitive by what they mean', () => {
  const yes = [
    'password',
    'DB_PASSWORD',
    'apiKey',
    'api-key',
    'x-api-key',
    'accessToken',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_ACCESS_KEY_ID',
    'DB_PASS',
    'Authorization',
    'cookie',
    'INTERNAL_SERVICE_KEY',
    'CONFIG_ENCRYPTION_KEY',
  ];
  const no = [
    'user',
    'PORT',
    'author',
    'keyboard',
    'maxTokens',
    'tokenUrl',
    'SECRET_NAME',
    'compass',
    'bypass',
    'NODE_ENV',
  ];
  assert.deepEqual(
    yes.filter((name) => !isSensitiveName(name)),
    [],
  );
  assert.deepEqual(no.filter(isSensitiveName), []);
});

test('the fields that the logger must hide by name are all sensitive', () => {
  const headers = ['authorization', 'cookie', 'x-internal-key', 'x-api-key', 'set-cookie'];
  const fields = ['authorization', 'password', 'secret', 'token', 'IDP_CLIENT_SECRET', 'CONFIG_ENCRYPTION_KEY'];
  for (const name of [...headers, ...fields]) assert.ok(isSensitiveName(name), name);
});

const PIECES = [
  'a',
  '"',
  "'",
  'a=',
  '://',
  'a://a:',
  'x://y:z',
  'eyJ',
  'eyJaaaaaaaa.',
  '-----BEGIN ',
  '=',
  '\\"',
  'a:',
  'password=" ',
  'token: ',
  'ghp_',
  'Bearer ',
  'a.b-',
  '@',
  'cookie:',
  '-----BEGIN PRIVATE KEY-----',
  'x="\\',
  ' ',
  '\t',
  'a= ',
  'https://',
  '\ud800',
  CUT_MARK,
];

test('a line of a million characters is finished, whatever it repeats', () => {
  // A pattern that backtracks would take hours on one of these.
  const redact = createRedactor({ secrets: ['a'.repeat(40), 'correct horse'] });
  for (const piece of PIECES) {
    const line = piece.repeat(Math.ceil(1_000_000 / piece.length));
    assert.equal(typeof redact(line), 'string');
  }
});

test('random text never makes it throw, and redacting twice changes nothing more', () => {
  const redact = createRedactor({ secrets: ['hunter22', '\ud800abc'] });
  let seed = 11;
  for (let round = 0; round < 3_000; round += 1) {
    let text = '';
    for (let index = 0; index < 12; index += 1) {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      text += PIECES[seed % PIECES.length] ?? '';
    }
    const once = redact(text);
    assert.equal(redact(once), once, JSON.stringify(text));
  }
});
