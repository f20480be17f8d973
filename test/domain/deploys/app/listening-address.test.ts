import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeApp } from '../../../../domain/deploys/app/describe-app.ts';

/** The variables of the image of a server with these packages and this `.env`. */
function environmentOf(dependencies: object = {}, names: readonly string[] = []) {
  const manifest = JSON.stringify({ scripts: { start: 'node a.js' }, dependencies });
  const variables = names.length === 0 ? {} : { variables: { '.env': { names, secrets: [] } } };
  return describeApp(
    { files: ['package.json'], texts: { 'package.json': manifest }, ...variables },
    { framework: null, port: null, healthEndpoint: '/health' },
  ).environment;
}

it('a server that asks HOST where to listen is told every address', () => {
  assert.deepEqual(environmentOf(), { HOST: '0.0.0.0' });
  assert.deepEqual(environmentOf({ 'fastify-cli': '7' }), { HOST: '0.0.0.0', FASTIFY_ADDRESS: '0.0.0.0' });
});

it('a server whose own settings name HOST keeps what they say', () => {
  assert.deepEqual(environmentOf({}, ['HOST', 'PORT']), {});
  assert.deepEqual(environmentOf({}, ['DB_HOST']), { HOST: '0.0.0.0' });
});
