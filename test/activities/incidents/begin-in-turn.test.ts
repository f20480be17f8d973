import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createBeginInTurn } from '../../../activities/incidents/begin-in-turn.ts';
import { openedIncident } from '../../../domain/incidents/change-incident.ts';
import { fromIncidentView } from '../../../domain/incidents/incident-view.ts';
import type { IncidentStart } from '../../../domain/incidents/messages.ts';
import { createMemoryIncidents } from '../../support/in-memory/incidents.ts';
import { waitUntil } from '../../support/wait-until.ts';

const startOf = (index: number): IncidentStart => ({
  ...{ id: `inc_${index}`, org: 'acme', monitorId: `mon_${index}`, sequence: 1, title: 'shop', isPublic: false },
  ...{ cause: null, startedAt: '2026-11-01T10:00:00.000Z' },
});

it('begins incidents no faster than their workflows get to the first step, though all are on record', async () => {
  const incidents = createMemoryIncidents();
  await incidents.announce(Array.from({ length: 40 }, (_, index) => fromIncidentView(openedIncident(startOf(index)))));
  const begun: IncidentStart[] = [];
  const commands = { begin: async (start: IncidentStart) => void begun.push(start) };
  const begin = createBeginInTurn({ commands, incidents, longestMs: 60_000 });
  const all = (async () => {
    for (let index = 0; index < 40; index += 1) await begin(startOf(index));
  })();
  await waitUntil('some are begun', () => begun.length === 16);
  for (const start of begun.slice(0, 3)) await incidents.insert(fromIncidentView(openedIncident(start)));
  await waitUntil('as many more are begun', () => begun.length === 19);
  for (let index = 3; index < 40; index += 1) {
    await waitUntil('the next one is begun', () => begun.length > index);
    await incidents.insert(fromIncidentView(openedIncident(startOf(index))));
  }
  await all;
  assert.equal(begun.length, 40);
});

it('is held up by none that is stuck for good', async () => {
  let begun = 0;
  const commands = {
    begin: async () => {
      begun += 1;
    },
  };
  const begin = createBeginInTurn({ commands, incidents: createMemoryIncidents(), longestMs: 5 });
  for (let index = 0; index < 20; index += 1) await begin(startOf(index));
  assert.equal(begun, 20);
});
