import { workflowInfo } from '@temporalio/workflow';

/** When the schedule wanted this run, also when an outage delayed it; when it began, for a run by hand. */
export function scheduledTime(): Date {
  const { searchAttributes, startTime } = workflowInfo();
  const [scheduled] = (searchAttributes.TemporalScheduledStartTime ?? []) as readonly unknown[];
  return scheduled instanceof Date ? scheduled : startTime;
}
