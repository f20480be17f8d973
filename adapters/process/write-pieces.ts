import type { Writable } from 'node:stream';
import { untilAborted } from '../../domain/objects/until-aborted.ts';

/**
 * Writes each piece and waits until it was taken, before it asks for the next one: pieces may be views of memory that is
 * filled again. Then it ends the stream. A stream that takes no more has its pieces ended, also while the next one is awaited.
 * @throws what the pieces throw; the error of the stream; an `Error` with code ERR_STREAM_PREMATURE_CLOSE when it was closed
 */
export async function writePieces(pieces: AsyncIterable<Uint8Array>, to: Writable): Promise<void> {
  const gone = new AbortController();
  // They stay: what a stream says after its end has to be heard by somebody as well.
  to.on('error', (error) => gone.abort(error));
  to.on('close', () => gone.abort(closedEarly()));
  if (to.destroyed) throw closedEarly();
  for await (const piece of untilAborted(pieces, gone.signal)) await writePiece(to, piece, gone.signal);
  to.end();
}

/**
 * Resolves once the piece was taken. A stream that is destroyed, or fails, need not say what became of one.
 * @param gone aborted by then @throws its reason; the error of the stream
 */
export function writePiece(to: Writable, piece: Uint8Array, gone: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onGone = (): void => reject(gone.reason);
    gone.addEventListener('abort', onGone, { once: true });
    to.write(piece, (error) => {
      gone.removeEventListener('abort', onGone);
      if (error) reject(error);
      else resolve();
    });
  });
}

function closedEarly(): Error {
  return Object.assign(new Error('the stream was closed before all was written'), {
    code: 'ERR_STREAM_PREMATURE_CLOSE',
  });
}
