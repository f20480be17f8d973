import type { ApiClient } from './api-client.ts';
import { pathOf } from './api-client.ts';
import { followEvents } from './follow-events.ts';
import { type LogLineReply, logLineReply } from './replies.ts';

export type BuildEvent =
  | { readonly type: 'line'; readonly line: LogLineReply }
  /** The build's status changed: its record is worth reading again. */
  | { readonly type: 'status' }
  | { readonly type: 'lost'; readonly reason: string }
  | { readonly type: 'back' }
  | { readonly type: 'end' };

export interface FollowOptions {
  /** Lines up to this sequence number are known already. */
  readonly after?: number;
  readonly signal: AbortSignal;
  /** How long an API that went away is waited for. */
  readonly patienceMs?: number;
}

/**
 * What happens in a build, until it ends. A lost connection is taken up again where it was left, for as long as the API is
 * not away longer than the patience.
 *
 * @throws CliFailure when the build cannot be followed (exit `notFound`, `auth`) or the API stays away (`unreachable`)
 */
export async function* followBuild(
  api: ApiClient,
  buildId: string,
  { after = 0, signal, patienceMs }: FollowOptions,
): AsyncGenerator<BuildEvent> {
  let seen = after;
  const request = {
    path: pathOf('builds', buildId, 'logs'),
    lastId: after > 0 ? String(after) : null,
    remedy: `The build continues. Later: \`fairlead logs -f ${buildId}\``,
  };
  for await (const message of followEvents(api, { ...request, signal, patienceMs })) {
    const event = message.type === 'message' ? toEvent(message) : message;
    if (event === null) continue;
    if (event.type === 'line') {
      // A server that answers a resume generously must not show a line twice.
      if (event.line.seq <= seen) continue;
      seen = event.line.seq;
    }
    yield event;
    if (event.type === 'end') return;
  }
}

function toEvent({ event, data }: { readonly event: string | undefined; readonly data: string }): BuildEvent | null {
  if (event === 'end') return { type: 'end' };
  if (event === 'status') return { type: 'status' };
  if (event !== 'line') return null;
  const line = logLineReply.safeParse(JSON.parse(data));
  return line.success ? { type: 'line', line: line.data } : null;
}
