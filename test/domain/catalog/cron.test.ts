import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isCron } from '../../../domain/catalog/cron.ts';

const TAKEN = [
  '* * * * *',
  '0 2 * * *',
  '*/5 * * * *',
  '0-30/10 8-18 1,15 jan-MAR mon-fri',
  '59 23 31 12 7',
  '0\t0 1 1 0',
];
const REFUSED = [
  '',
  '* * * *',
  '* * * * * *',
  '60 * * * *',
  '* 24 * * *',
  '* * 0 * *',
  '* * 32 * *',
  '* * * 13 *',
  '* * * * 8',
  '*/0 * * * *',
  '*/x * * * *',
  '1/2/3 * * * *',
  '1-2-3 * * * *',
  '- * * * *',
  ', * * * *',
  'mon * * * *',
  '* * * * jan',
  '@daily',
];

for (const text of TAKEN) it(`${JSON.stringify(text)} is a schedule`, () => assert.equal(isCron(text), true));
for (const text of REFUSED) it(`${JSON.stringify(text)} is none`, () => assert.equal(isCron(text), false));
