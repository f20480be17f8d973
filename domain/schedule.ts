/** A workflow that Temporal starts by the clock. Each module lists its own: `workflows/<module>/schedules.ts`. */
export interface ScheduleDefinition {
  readonly id: string;
  /** Five fields, UTC. */
  readonly cron: string;
  readonly workflowType: string;
  /** What happens when the last run has not ended: `SKIP` leaves this one out. */
  readonly overlap: 'SKIP' | 'BUFFER_ONE';
  /** How late a run may still start after an outage. */
  readonly catchupWindow: '1m' | '1h' | '1d';
  /** How long a run may take, with the time that it waits for a worker or a database that is away. */
  readonly runTimeout: '30m' | '55m' | '20h';
  /** Run once more when a worker starts. */
  readonly atStart: boolean;
}
