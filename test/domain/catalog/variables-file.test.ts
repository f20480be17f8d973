import assert from 'node:assert/strict';
import { it } from 'node:test';
import { exampleVariables, mayBeSecret, readVariablesFile } from '../../../domain/catalog/variables-file.ts';

it('names of variables are read, and none of their values', () => {
  const text = '# a comment\nAPI_HOST=0.0.0.0\nexport API_PORT = 5050\n\nnot a line\nAPI_HOST=again\r\n';
  assert.deepEqual(readVariablesFile(text), { names: ['API_HOST', 'API_PORT'], secrets: [] });
});

for (const line of [
  'JWT_SECRET=x',
  'STRIPE_API_KEY=abc',
  'DATABASE_URL="postgresql://me:hidden@db:5432/app"',
  'PEM="-----BEGIN PRIVATE KEY-----',
  'PAYMENTS=sk_live_12345678',
  `MODELS=sk-proj-${'a'.repeat(20)}`,
  `GIT=glpat-${'a'.repeat(20)}`,
  `PACKAGES=npm_${'a'.repeat(36)}`,
]) {
  it(`what looks like a secret is told: ${line.split('=')[0]}`, () => {
    assert.equal(readVariablesFile(`A=1\n${line}\n`).secrets.length, 1);
  });
}

for (const line of [
  'JWT_SECRET=',
  'SECRET=""',
  'NEXT_PUBLIC_API_KEY=abc',
  'URL=https://example.com/a:b@c',
  'TOKEN_TTL=60',
]) {
  it(`what is no secret is none: ${line}`, () => {
    assert.deepEqual(readVariablesFile(line).secrets, []);
  });
}

it('every key may be a secret, but for one that a page shows, and one without a value', () => {
  const asked = [
    ['APP_KEY', 'x'],
    ['RAILS_MASTER_KEY', 'x'],
    ['DATABASE_PASSWORD', 'x'],
    ['VITE_MAPS_KEY', 'x'],
    ['APP_KEY', ''],
    ['MONKEY', 'x'],
    ['KEYBOARD', 'x'],
  ] as const;
  assert.deepEqual(
    asked.map(([name, value]) => mayBeSecret(name, value)),
    [true, true, true, false, false, false, false],
  );
});

it('the file that tells which variables an app takes is the one for examples, not that of settings', () => {
  const [settings, example] = [readVariablesFile('A=1'), readVariablesFile('B=')];
  assert.equal(exampleVariables({ '.env': settings }), null);
  assert.deepEqual(exampleVariables({ '.env': settings, '.env.sample': example }), {
    file: '.env.sample',
    names: ['B'],
  });
});
