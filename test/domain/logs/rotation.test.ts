import assert from 'node:assert/strict';
import { it } from 'node:test';
import { outputTime } from '../../../domain/logs/output-line.ts';
import { isRotationDue, LOG_ROTATION, LOOK_AT_LOGS_EVERY_MS, sizeLimitText } from '../../../domain/logs/rotation.ts';

const at = (time: string) => new Date(`2026-01-01T${time}Z`);

it('a file is rotated before it would be larger than 50M, and at midnight UTC; one without a line is not', () => {
  const file = { bytes: 100, hasLines: true, writtenAt: at('23:59:59') };
  const { fileBytes } = LOG_ROTATION;
  assert.equal(isRotationDue(file, { fileBytes, now: at('23:59:59') }), false);
  assert.equal(isRotationDue(file, { fileBytes, now: new Date('2026-01-02T00:00:00Z') }), true);
  assert.equal(
    isRotationDue({ ...file, hasLines: false }, { fileBytes, now: new Date('2026-01-02T00:00:00Z') }),
    false,
  );
  assert.equal(isRotationDue(file, { fileBytes, now: new Date('2025-12-31T00:00:00Z') }), false, 'a clock set back');
  assert.equal(isRotationDue(file, { fileBytes, now: at('23:59:59'), more: fileBytes - 100 }), false);
  assert.equal(isRotationDue(file, { fileBytes, now: at('23:59:59'), more: fileBytes - 99 }), true);
  assert.deepEqual([sizeLimitText(fileBytes), LOG_ROTATION.retain, LOOK_AT_LOGS_EVERY_MS], ['50M', 14, 30_000]);
});

it('times compare as texts, to the nanosecond', () => {
  assert.equal(outputTime('2026-01-01T00:00:00Z'), '2026-01-01T00:00:00.000000000Z');
  assert.equal(outputTime('2026-01-01T00:00:00.123456789Z'), '2026-01-01T00:00:00.123456789Z');
  assert.equal(outputTime('2026-01-01T00:00:00.1234567891Z'), '2026-01-01T00:00:00.123456789Z');
  assert.equal(outputTime('2026-01-01T02:00:00.5+02:00'), '2026-01-01T00:00:00.500000000Z');
});
