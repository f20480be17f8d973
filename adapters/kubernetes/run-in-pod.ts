import { PassThrough } from 'node:stream';
import type { ListeningSocket } from '../../domain/deploys/listening.ts';
import { parseTables } from '../docker/listening-sockets.ts';
import type { ClusterApi } from './cluster-api.ts';
import type { LivePod } from './cluster-objects.ts';
import { NAMES } from './names.ts';

const COMMAND = ['cat', '/proc/self/net/tcp', '/proc/self/net/tcp6'];
const LIMIT_MS = 5_000;
const LIMIT_BYTES = 128 * 1024;

/**
 * The TCP sockets that listen in a running pod, read by the image's `cat`. The program is the image's: what it prints is
 * bounded, and decides only which port of its own pod is used.
 * @returns null where the image has none
 */
export async function listeningInPod(
  api: ClusterApi,
  { metadata }: LivePod,
): Promise<readonly ListeningSocket[] | null> {
  const { Exec } = await import('@kubernetes/client-node');
  const { namespace = '', name } = metadata;
  const output = new PassThrough();
  const parts: Buffer[] = [];
  let size = 0;
  const ended = new Promise<void>((resolve) => {
    output.on('data', (part: Buffer) => {
      parts.push(part);
      size += part.length;
      if (size > LIMIT_BYTES) resolve();
    });
    output.once('close', resolve).once('end', resolve);
    setTimeout(resolve, LIMIT_MS).unref();
  });
  try {
    const socket = await new Exec(await api.config()).exec(
      ...([namespace, name, NAMES.container, COMMAND, output, null, null, false] as const),
      // What it printed before its end is read first.
      () => output.end(),
    );
    await ended;
    socket.close();
  } catch {
    // No such program, or the container has just ended: the next look tells.
    return null;
  }
  const text = Buffer.concat(parts).toString('latin1');
  return text.includes('local_address') ? parseTables(text) : null;
}
