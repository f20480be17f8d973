import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parseTables } from '../../../adapters/docker/listening-sockets.ts';

const line = (address: string, state = '0A'): string => `   0: ${address} 00000000:0000 ${state} 00000000:00000000 …\n`;

it('tables of sockets that an image made up name no port that nothing can listen on', () => {
  const made = ['00000000:0000', '00000000:10000', '00000000:-001', 'FFFF:0BB8', '00000000:0BB8'].map((one) =>
    line(one),
  );
  assert.deepEqual(parseTables(made.join('')), [{ host: '0.0.0.0', port: 3000 }]);
  assert.deepEqual(parseTables(line('00000000:0BB8', '01')), [], 'a connection');
});
