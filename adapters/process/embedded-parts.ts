import { randomUUID } from 'node:crypto';
import { FairleadError } from '../../domain/errors.ts';
import { succeedOnce } from './succeed-once.ts';

/** What a process of the platform asks its supervisor: that a part of the embedded stack runs. */
export interface PartRequest {
  readonly kind: 'ensure-part';
  readonly id: string;
  readonly part: string;
}

/** The answer: the part serves, or the one line that says why it does not. */
export interface PartReply {
  readonly kind: 'part';
  /** Of the request. */
  readonly id: string;
  readonly error: string | null;
}

/**
 * Resolves once a part of the embedded stack serves at the address that its variables name: to be called before a
 * connection to it. Starting one may take minutes where its tool has to be fetched.
 * @throws FairleadError UNAVAILABLE with the line that says why it could not be started, or that nobody answered in time
 */
export type EnsurePart = (part: string) => Promise<void>;

/** The channel to the supervisor: `process`, in a child that was started with one. */
export type SupervisorChannel = Pick<NodeJS.Process, 'connected' | 'send' | 'on' | 'off'>;

/** Fetching or building a tool takes minutes on a slow line; what takes longer than this is stuck. */
const ANSWER_LIMIT_MINUTES = 15;

/**
 * @param onNeed names of the parts that the stack starts on first need (PARTS_ON_NEED). Any other part runs already, or
 * is a production server.
 * @param limitMinutes how long the supervisor has to answer; who asks again joins a start that still goes on
 */
export function createEnsurePart(
  onNeed: readonly string[],
  channel: SupervisorChannel = process,
  limitMinutes = ANSWER_LIMIT_MINUTES,
): EnsurePart {
  const ask = succeedOnce((part) => askSupervisor(part, channel, limitMinutes));
  return async (part) => {
    if (onNeed.includes(part)) await ask(part);
  };
}

function askSupervisor(part: string, channel: SupervisorChannel, limitMinutes: number): Promise<void> {
  const request: PartRequest = { kind: 'ensure-part', id: randomUUID(), part };
  return new Promise((resolve, reject) => {
    const end = (error: string | null): void => {
      clearTimeout(timer);
      channel.off('message', onMessage);
      channel.off('disconnect', onDisconnect);
      if (error === null) resolve();
      else reject(new FairleadError('UNAVAILABLE', error));
    };
    const onMessage = (message: unknown): void => {
      if (isReply(message) && message.id === request.id) end(message.error);
    };
    const onDisconnect = (): void => end(`${part} was not started: the stack is stopping`);
    const onLimit = (): void => end(`${part} was not started: the stack did not answer within ${limitMinutes} minutes`);
    const timer = setTimeout(onLimit, limitMinutes * 60_000);
    if (!channel.connected || channel.send === undefined) return end(`${part} was not started: no stack to ask`);
    channel.on('message', onMessage);
    channel.on('disconnect', onDisconnect);
    channel.send(request);
  });
}

function isReply(message: unknown): message is PartReply {
  return typeof message === 'object' && message !== null && 'kind' in message && message.kind === 'part';
}
