import { FairleadError } from '../../../domain/errors.ts';
import { changedIncident, type IncidentChange, openedIncident } from '../../../domain/incidents/change-incident.ts';
import { fromIncidentView, toIncidentView } from '../../../domain/incidents/incident-view.ts';
import type { IncidentCommands } from '../../../domain/incidents/messages.ts';
import type { IncidentStore } from '../../../domain/incidents/ports.ts';

/** What the workflows of incidents do to their records, at once and by the same rules. */
export function createMemoryIncidentCommands(incidents: IncidentStore): IncidentCommands {
  async function change(id: string, how: IncidentChange): Promise<void> {
    const incident = await incidents.find(id);
    if (incident === null || incident.state === 'resolved') {
      throw new FairleadError('INCIDENT_NOT_FOUND', `There is no open incident ${id}`);
    }
    await incidents.put(fromIncidentView(changedIncident(toIncidentView(incident), how)));
  }
  return {
    async begin(start) {
      if ((await incidents.find(start.id)) === null) await incidents.insert(fromIncidentView(openedIncident(start)));
    },
    acknowledge: (id, acknowledgement) => change(id, { kind: 'acknowledged', acknowledgement }),
    update: (id, update) => change(id, { kind: 'updated', update }),
    async resolve(id, resolution) {
      const incident = await incidents.find(id);
      if (incident === null || incident.state === 'resolved') return;
      await change(id, { kind: 'resolved', resolution });
    },
    goOn: async () => undefined,
    markFlapping: (id, isFlapping) => change(id, { kind: 'flapped', isFlapping }),
  };
}
