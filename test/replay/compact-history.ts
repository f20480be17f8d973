import proto from '@temporalio/proto';

const { History } = proto.temporal.api.history.v1;

type History = proto.temporal.api.history.v1.IHistory;

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** Facts about the machine and the moment of the recording, and arguments a replay never reads. */
const DROPPED = new Set([
  'identity',
  'taskId',
  'version',
  'requestId',
  'workerVersion',
  'meteringMetadata',
  'historySizeBytes',
  'firstExecutionRunId',
  'firstWorkflowTaskBackoff',
  'userMetadata',
  'stackTrace',
]);

/**
 * A recorded history as text, one event a line, without what a replay does not need: a few kilobytes instead of
 * hundreds. Arguments of activities go as well, since a replay compares their types and ids and not their values.
 */
export function compactHistory(history: History): string {
  const plain = History.toObject(History.fromObject(history), { longs: String, enums: String, bytes: String });
  const { events } = plain as { events: Record<string, Json>[] };
  const lines = events.map((event) => {
    if (isObject(event.activityTaskScheduledEventAttributes)) delete event.activityTaskScheduledEventAttributes.input;
    return JSON.stringify(compact(event));
  });
  return `{"events":[\n${lines.join(',\n')}\n]}\n`;
}

/** The history that {@link compactHistory} made a text of. */
export function readHistory(text: string): History {
  return History.fromObject(JSON.parse(text));
}

function compact(value: Json): Json {
  if (Array.isArray(value)) return value.map(compact);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(
    ([key, part]) => !DROPPED.has(key) && (isAttributes(key) || !isEmpty(part)),
  );
  return Object.fromEntries(kept.map(([key, part]) => [key, compact(part)]));
}

function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The attributes tell which event it is, even when there are none. */
function isAttributes(key: string): boolean {
  return key.endsWith('EventAttributes');
}

function isEmpty(value: Json): boolean {
  return value === null || value === '' || (isObject(value) && Object.keys(value).length === 0);
}
