import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parseEntry, passesLevel } from '../../../domain/logs/parse-entry.ts';

const NONE = { ts: null, level: null, msg: null };

it('reads the lines of the loggers that are about, and nothing of any other line', () => {
  const time = '2026-01-02T03:04:05.678Z';
  const cases: readonly (readonly [string, object])[] = [
    [`{"level":"warn","time":"${time}","msg":"pino"}`, { ts: time, level: 'warn', msg: 'pino' }],
    [
      `{"level":50,"time":${Date.parse(time)},"msg":"pino by number"}`,
      { ts: time, level: 'error', msg: 'pino by number' },
    ],
    ['{"level":"INFO","ts":1767323045.5,"msg":"zap"}', { ts: '2026-01-02T03:04:05.500Z', level: 'info', msg: 'zap' }],
    [`{"t":{"$date":"${time}"},"s":"W","msg":"mongod"}`, { ts: time, level: 'warn', msg: 'mongod' }],
    [`{"severity":"CRITICAL","timestamp":"${time}","message":"cloud"}`, { ts: time, level: 'fatal', msg: 'cloud' }],
    ['{"level":35}', { ...NONE, level: 'info' }],
    ['{"level":-1}', { ...NONE, level: 'trace' }],
    ['{"level":1e308}', { ...NONE, level: 'fatal' }],
    ['{"level":"constructor","time":"never","msg":{"a":1}}', NONE],
    ['{"level":{},"time":1e300}', NONE],
    ['{"time":253402300799999}', { ...NONE, ts: '9999-12-31T23:59:59.999Z' }],
    // Years that an ISO time does not write with four digits.
    ['{"time":253402300800000}', NONE],
    ['{"time":-62167219200001}', NONE],
    ['{"time":"+010000-01-01T00:00:00Z"}', NONE],
    ['[1]', NONE],
    ['{"level":"warn"', NONE],
    ['{}', NONE],
    ['warn: a text', NONE],
    ['', NONE],
  ];
  for (const [line, entry] of cases) assert.deepEqual(parseEntry(line), entry, line);
});

it('warn lets warnings and graver lines through, error errors and graver ones, and all each line', () => {
  const levels = [null, 'trace', 'info', 'warn', 'error', 'fatal'] as const;
  const passed = (filter: 'all' | 'warn' | 'error') => levels.filter((level) => passesLevel(level, filter));
  assert.deepEqual(passed('all'), levels);
  assert.deepEqual(passed('warn'), ['warn', 'error', 'fatal']);
  assert.deepEqual(passed('error'), ['error', 'fatal']);
});
