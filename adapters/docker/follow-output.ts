import { addAbortSignal, Readable } from 'node:stream';
import type Docker from 'dockerode';
import { linesAfter, type OutputLine, type OutputPosition } from '../../domain/logs/output-line.ts';
import { followRuns, type ProcessRun } from '../follow-runs.ts';
import { engineError, engineStatus } from './docker-client.ts';
import { inspectContainer } from './inspect-container.ts';
import { createOutputReader } from './output-frames.ts';

/**
 * The engine is asked for lines from so long before the last known one: it notes the time of a line before it puts the
 * line in order with those of the other stream.
 */
const MARGIN_SECONDS = 5;

/**
 * Follows the output of a container through restarts of its process, until it is removed. The engine keeps the output in
 * files of its own, so a container waits for nobody who reads here. Where the clock of the machine was set back, lines of
 * that time may come twice or, as the engine itself compares times, not at all.
 */
export async function* followOutput(
  docker: Docker,
  id: string,
  { after, signal }: { readonly after: OutputPosition; readonly signal: AbortSignal },
): AsyncGenerator<readonly OutputLine[]> {
  const look = async (): Promise<ProcessRun | 'gone'> => {
    const container = await inspectContainer(docker, id);
    if (container === null) return 'gone';
    const { Running: isRunning, StartedAt, FinishedAt } = container.State;
    const run = `${isRunning} ${StartedAt} ${FinishedAt}`;
    const read = (position: OutputPosition) => readOutput(docker, id, { position, hasEnded: !isRunning, signal });
    return { run, isRunning, read };
  };
  const failure = (error: unknown): Error =>
    engineError(error, 'Following the output of a container', 'UNAVAILABLE', { retryable: true });
  yield* followRuns(look, { after, signal, failure });
}

interface ReadOptions {
  readonly position: OutputPosition;
  /** A line without an end is then as complete as it will ever be. */
  readonly hasEnded: boolean;
  readonly signal: AbortSignal;
}

async function* readOutput(docker: Docker, id: string, { position, hasEnded, signal }: ReadOptions) {
  const stream = await openOutput(docker, id, position);
  if (stream === null) return;
  addAbortSignal(signal, stream);
  const reader = createOutputReader();
  const newOf = linesAfter(position);
  for await (const piece of stream) {
    const lines = newOf(reader.read(piece));
    if (lines.length > 0) yield lines;
  }
  const rest = hasEnded ? newOf(reader.rest()) : [];
  if (rest.length > 0) yield rest;
}

/** Null when the container is gone. */
async function openOutput(docker: Docker, id: string, position: OutputPosition): Promise<Readable | null> {
  const known = Object.values(position).map((at) => Math.floor(Date.parse(at) / 1_000));
  const since = known.length === 0 ? 0 : Math.max(0, Math.max(...known) - MARGIN_SECONDS);
  try {
    const stream = await docker
      .getContainer(id)
      .logs({ stdout: true, stderr: true, follow: true, timestamps: true, since });
    return stream instanceof Readable ? stream : Readable.from(stream);
  } catch (error) {
    if (engineStatus(error) === 404) return null;
    throw error;
  }
}
