import type { WorkloadFirewall } from '../adapters/docker/workload-firewall.ts';
import type { RaiseAlarm } from '../domain/backups/ports.ts';
import type { Clock } from '../domain/clock.ts';
import type { WorkerParts } from './module.ts';

interface Told {
  readonly raiseAlarm: RaiseAlarm;
  readonly logger: Pick<WorkerParts<unknown>['logger'], 'info' | 'error'>;
  readonly now: Clock;
}

/**
 * The firewall of workloads, which tells operators when its rules cannot be set: once until they can. Meanwhile workloads that
 * run may be without rules, and none starts.
 */
export function withAlarm(firewall: WorkloadFirewall, { raiseAlarm, logger, now }: Told): WorkloadFirewall {
  let isTold = false;
  const tell = async (error: unknown): Promise<void> => {
    if (isTold) return;
    isTold = true;
    try {
      await raiseAlarm(alarmOf(error, now()));
    } catch (failure) {
      logger.error({ err: failure }, 'the alarm of the firewall of workloads could not be raised');
      isTold = false;
    }
  };
  return {
    ...firewall,
    async renew(signal) {
      try {
        await firewall.renew(signal);
      } catch (error) {
        await tell(error);
        throw error;
      }
      if (isTold) logger.info('the firewall of workloads is set again');
      isTold = false;
    },
  };
}

function alarmOf(error: unknown, at: Date): Parameters<RaiseAlarm>[0] {
  const said = error instanceof Error ? error.message : String(error);
  return {
    id: `workloads.firewall_not_set/${at.toISOString()}`,
    subject: 'The firewall that keeps workloads from this machine could not be set',
    text: [
      `It said: ${said}`,
      'No workload starts until it is set. Those that run may reach this machine and its private networks.',
      'It is tried again each minute. What to do: docs/workload-firewall.md',
    ].join('\n'),
  };
}
