import { eachItem } from '../../domain/each-item.ts';
import { dueStep } from '../../domain/incidents/escalation.ts';
import { toIncidentView } from '../../domain/incidents/incident-view.ts';
import type { IncidentCommands } from '../../domain/incidents/messages.ts';
import type { IncidentStore } from '../../domain/incidents/ports.ts';

export interface ResumeEscalationsDeps {
  readonly incidents: Pick<IncidentStore, 'list'>;
  readonly commands: Pick<IncidentCommands, 'goOn'>;
  readonly now: () => Date;
}

/** A step that is later than that is nobody's, or waits for the end of maintenance. */
const LATE_MS = 2 * 60_000;

/**
 * Looks for open incidents of which a step of the escalation should have been told, and begins their workflows once more where these are
 * gone: terminated, or lost with Temporal's own database. One that runs is left as it is, so it may be done again at any time.
 * @returns how many are late
 * @throws UNAVAILABLE (retryable)
 */
export async function resumeEscalations(
  { incidents, commands, now }: ResumeEscalationsDeps,
  signal: AbortSignal,
): Promise<{ readonly late: number }> {
  const before = now().getTime() - LATE_MS;
  const open = { org: null, open: true } as const;
  let late = 0;
  let failure: unknown = null;
  for await (const incident of eachItem((page) => incidents.list(open, page, { newestUpdates: 1 }), signal)) {
    const due = dueStep(toIncidentView(incident));
    if (due === null || due.at > before) continue;
    late += 1;
    try {
      await commands.goOn(incident.id);
    } catch (error) {
      // The others do not wait for it.
      failure ??= error;
    }
  }
  if (failure !== null) throw failure;
  return { late };
}
