import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, it } from 'node:test';
import { metricsSettings } from '../../../adapters/env/metrics.ts';
import { startMetricsServer } from '../../../adapters/metrics/metrics-server.ts';
import { freePort } from '../../support/free-port.ts';

const TOKEN = randomBytes(32).toString('base64url');
let address: string;
let collected = 0;
let text = async (): Promise<string> => 'x 1\n';
let server: Awaited<ReturnType<typeof startMetricsServer>>;
let options: Parameters<typeof startMetricsServer>[0];
before(async () => {
  const port = await freePort();
  address = `http://127.0.0.1:${port}`;
  options = {
    ...{ host: '127.0.0.1', port, portVariable: 'METRICS_PORT', token: TOKEN },
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    text: () => {
      collected += 1;
      return text();
    },
  };
  server = await startMetricsServer(options);
});
after(() => server.close());

const ask = (path: string, authorization?: string, method = 'GET') =>
  fetch(address + path, { method, headers: authorization === undefined ? {} : { authorization } });

it('tells whoever has the token, and nobody else anything, not even which paths there are', async () => {
  const answer = await ask('/metrics', `Bearer ${TOKEN}`);
  assert.deepEqual([answer.status, await answer.text()], [200, 'x 1\n']);
  assert.equal(answer.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  collected = 0;
  const wrong = [
    ...[undefined, '', 'Bearer', `Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(1)}`, `Basic ${TOKEN}`, TOKEN],
    ...[`Bearer ${TOKEN} ${TOKEN}`, 'Bearer undefined'],
  ];
  for (const authorization of wrong) {
    for (const path of ['/metrics', '/', '/none', `/metrics?token=${TOKEN}`]) {
      const { status, headers } = await ask(path, authorization);
      assert.deepEqual([status, headers.get('www-authenticate')], [401, 'Bearer'], `${path} ${authorization}`);
    }
  }
  assert.equal(collected, 0, 'nothing is done for who is refused');
  assert.equal((await ask('/', `Bearer ${TOKEN}`)).status, 404);
  assert.equal((await ask('/metrics', `Bearer ${TOKEN}`, 'POST')).status, 405);
});

it('collects once for all who ask at the same time, and again for the next', async () => {
  const slow = Promise.withResolvers<string>();
  text = () => slow.promise;
  collected = 0;
  const asked = Array.from({ length: 5 }, () => ask('/metrics', `Bearer ${TOKEN}`));
  while (collected === 0) await new Promise((done) => setImmediate(done));
  await new Promise((done) => setTimeout(done, 100));
  slow.resolve('x 2\n');
  for (const answer of await Promise.all(asked)) assert.equal(await answer.text(), 'x 2\n');
  assert.equal(collected, 1);
  text = () => Promise.reject(new Error('mongodb://u:p@h'));
  const failed = await ask('/metrics', `Bearer ${TOKEN}`);
  assert.deepEqual([failed.status, await failed.text()], [500, 'the metrics cannot be collected\n']);
});

it('names the variable of a port that is in use, and needs a token wherever it listens', async () => {
  await assert.rejects(startMetricsServer(options), { code: 'CONFLICT', message: /choose another METRICS_PORT/ });
  const reader = { METRICS_HOST: '127.0.0.1', METRICS_TOKEN: undefined };
  assert.equal(metricsSettings(reader, 'METRICS_PORT', undefined), null);
  assert.throws(() => metricsSettings(reader, 'METRICS_PORT', 9_400), {
    code: 'VALIDATION_FAILED',
    message: /METRICS_PORT needs METRICS_TOKEN/,
  });
});
