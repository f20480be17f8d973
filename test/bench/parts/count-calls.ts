import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import type { BareCall } from './overhead-workflows.ts';

type Payloads = proto.temporal.api.common.v1.IPayloads | null | undefined;

const { EventType } = proto.temporal.api.enums.v1;
/** By this name the SDK records the end of a local activity, and by the second one what it returned. */
const LOCAL_ACTIVITY = 'core_local_activity';
const LOCAL_RESULT = 'result';

/**
 * The activities that some workflows called, and how large their inputs and results were, as their
 * histories tell.
 */
export async function countCalls(client: Client, workflowIds: readonly string[]): Promise<readonly BareCall[]> {
  const histories = await Promise.all(workflowIds.map((id) => client.workflow.getHandle(id).fetchHistory()));
  return histories.flatMap(({ events }) => callsIn(events ?? []));
}

function callsIn(events: readonly proto.temporal.api.history.v1.IHistoryEvent[]): readonly BareCall[] {
  const results = new Map<string, number>();
  for (const { activityTaskCompletedEventAttributes: completed } of events) {
    if (completed) results.set(String(completed.scheduledEventId), bytesOf(completed.result));
  }
  return events.flatMap((event): readonly BareCall[] => {
    const { markerRecordedEventAttributes: marker, activityTaskScheduledEventAttributes: scheduled } = event;
    // A marker holds no input: a local activity's never leaves the worker.
    if (marker?.markerName === LOCAL_ACTIVITY) {
      return [{ kind: 'local', inputBytes: 0, resultBytes: bytesOf(marker.details?.[LOCAL_RESULT]) }];
    }
    if (event.eventType !== EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED) return [];
    const resultBytes = results.get(String(event.eventId)) ?? 0;
    return [{ kind: 'remote', inputBytes: bytesOf(scheduled?.input), resultBytes }];
  });
}

function bytesOf(payloads: Payloads): number {
  return (payloads?.payloads ?? []).reduce((sum, { data }) => sum + (data?.length ?? 0), 0);
}

/** How many activities there are, and how much goes to and from them. */
export function describeCalls(calls: readonly BareCall[]): string {
  const local = calls.filter(({ kind }) => kind === 'local').length;
  const bytes = calls.reduce((sum, { inputBytes, resultBytes }) => sum + inputBytes + resultBytes, 0);
  return `${calls.length - local} activities and ${local} local ones, with ${Math.round(bytes / 1024)} KB of inputs and results`;
}
