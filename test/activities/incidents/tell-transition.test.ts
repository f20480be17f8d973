import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createTransitionListener } from '../../../activities/incidents/tell-transition.ts';
import type { IncidentStart } from '../../../domain/incidents/messages.ts';
import { monitorRecord } from '../../support/monitor-records.ts';

it('the title of an incident says what is checked, without the query of its address, which may hold a key', async () => {
  const begun: IncidentStart[] = [];
  const ignore = async () => undefined;
  const begin = async (start: IncidentStart) => {
    begun.push(start);
  };
  const check = { kind: 'websocket', url: 'wss://shop.example.com/live?key=s3cret#part' } as const;
  const { tell } = createTransitionListener({ begin, resolve: ignore, markFlapping: ignore });
  const facts = { sequence: 1, downSequence: 1, at: 0, confirmedAt: 0, message: null } as const;
  await tell(monitorRecord(1, { check }), { ...facts, kind: 'down' });
  assert.deepEqual(
    begun.map(({ title }) => title),
    ['service-1 (prod, wss://shop.example.com/live)'],
  );
});
