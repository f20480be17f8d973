import assert from 'node:assert/strict';
import { it } from 'node:test';
import { resumeEscalations } from '../../../activities/incidents/resume-escalations.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { incidentRecord } from '../../ports/incidents/incident-store.ts';
import { createMemoryIncidents } from '../../support/in-memory/incidents.ts';

const AT = new Date('2026-11-01T10:00:00.000Z');
const POLICY = {
  steps: [
    { waitMinutes: 0, channelIds: ['chn_a'] },
    { waitMinutes: 10, channelIds: ['chn_b'] },
  ],
  repeat: null,
};
const ESCALATION = { policy: POLICY, told: [{ step: 0, at: AT, channelIds: ['chn_a'] }] };

it('one workflow that cannot be begun keeps no other from it, and the look is made again', async () => {
  const incidents = createMemoryIncidents();
  for (const number of [1, 2, 3]) {
    await incidents.insert(incidentRecord({ id: `inc_${number}`, startedAt: AT, escalation: ESCALATION }));
  }
  const begun: string[] = [];
  const goOn = async (id: string): Promise<void> => {
    if (id === 'inc_2') throw new FairleadError('UNAVAILABLE', 'away', { retryable: true });
    begun.push(id);
  };
  const now = (): Date => new Date(AT.getTime() + 20 * 60_000);
  const look = resumeEscalations({ incidents, commands: { goOn }, now }, AbortSignal.timeout(10_000));
  await assert.rejects(look, { code: 'UNAVAILABLE' });
  assert.deepEqual(begun.toSorted(), ['inc_1', 'inc_3']);
});
