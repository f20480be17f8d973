import assert from 'node:assert/strict';
import { it } from 'node:test';
import { exampleVariables, readVariablesFile } from '../../../domain/catalog/variables-file.ts';

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

it('the file that tells which variables an app takes is the one for examples, not that of settings', () => {
  const [settings, example] = [readVariablesFile('A=1'), readVariablesFile('B=')];
  assert.equal(exampleVariables({ '.env': settings }), null);
  assert.deepEqual(exampleVariables({ '.env': settings, '.env.sample': example }), {
    file: '.env.sample',
    names: ['B'],
  });
});
