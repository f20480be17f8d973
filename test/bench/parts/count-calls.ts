import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import type { BareCalls } from './overhead-workflows.ts';

const { EventType } = proto.temporal.api.enums.v1;
/** By this name the SDK records the end of a local activity. */
const LOCAL_ACTIVITY = 'core_local_activity';

/** How many activities of each kind some workflows called, as their histories tell. */
export async function countCalls(client: Client, workflowIds: readonly string[]): Promise<BareCalls> {
  const histories = await Promise.all(workflowIds.map((id) => client.workflow.getHandle(id).fetchHistory()));
  const events = histories.flatMap((history) => history.events ?? []);
  return {
    local: events.filter(({ markerRecordedEventAttributes: marker }) => marker?.markerName === LOCAL_ACTIVITY).length,
    remote: events.filter(({ eventType }) => eventType === EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED).length,
  };
}
