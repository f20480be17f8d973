import { FairleadError } from '../../domain/errors.ts';

/** Longer ones are nothing of an audit ledger. */
const MAX_LINE = 64 * 1024;

/** The lines of a text that arrives in parts, in bounded memory. @throws VALIDATION_FAILED for a line that is too long */
export async function* textLines(parts: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const part of parts) {
    const lines = (rest + decoder.decode(part, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE) throw new FairleadError('VALIDATION_FAILED', 'A line of it is too long');
    yield* lines;
  }
  if (rest !== '') yield rest;
}
