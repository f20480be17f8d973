import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createLogger } from '../../../adapters/logging/logger.ts';
import { FairleadError } from '../../../domain/errors.ts';

const CANARY = 'canary-Qw72-hidden';

function capture() {
  const lines: string[] = [];
  const log = createLogger({ name: 'test', level: 'debug', secrets: [CANARY] }, { write: (line) => lines.push(line) });
  return { log, lines };
}

it('writes one JSON object a line with time, level and request id', () => {
  const { log, lines } = capture();
  log.child({ requestId: 'req_1' }).info({ count: 2 }, 'done');
  const line = JSON.parse(lines[0] ?? '');
  assert.deepEqual([line.level, line.name, line.requestId, line.count, line.msg], ['info', 'test', 'req_1', 2, 'done']);
  assert.ok(!Number.isNaN(Date.parse(line.time)));
});

it('hides sensitive fields and headers at any depth', () => {
  const { log, lines } = capture();
  const other = 'value-that-is-no-known-secret';
  log.info({ password: other, deep: { a: { b: { c: [{ token: other }] } } } }, 'x');
  log.info(
    { req: { headers: { authorization: other, cookie: other, 'x-internal-key': other, 'X-Api-Key': other } } },
    'x',
  );
  log.info(
    { res: { headers: { 'set-cookie': [other] } }, CONFIG_ENCRYPTION_KEY: other, IDP_CLIENT_SECRET: other },
    'x',
  );
  log.child({ secret: other }).info('x');
  log
    .child({ requestId: 'req_1' })
    .child({ deep: [{ password: other }], note: `token=${other}` })
    .info('x');
  assert.ok(!lines.join('').includes(other), lines.join(''));
  assert.match(lines[0] ?? '', /\[REDACTED\]/);
});

it('hides secrets inside texts, errors and their causes', () => {
  const { log, lines } = capture();
  log.info(`connecting to mongodb://me:s3cretpass@db/x with ${CANARY}`);
  log.info({ url: 'https://me:s3cretpass@git.example/x', note: `Bearer ${CANARY}` }, 'with %s', CANARY);
  const cause = new Error(`refused mongodb://me:s3cretpass@db/x`);
  log.error({ err: new FairleadError('INTERNAL', `broke on ${CANARY}`, { cause }) }, 'failed');
  const all = lines.join('');
  assert.ok(!all.includes(CANARY) && !all.includes('s3cretpass'), all);
  assert.match(JSON.parse(lines[2] ?? '').err.stack, /FairleadError/);
});
