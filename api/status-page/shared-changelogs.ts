import { FairleadError } from '../../domain/errors.ts';
import { limitAtOnce } from '../../domain/limit-at-once.ts';
import { type ChangelogBlock, readChangelog } from '../../domain/status-page/changelog-text.ts';
import type { ChangelogSource, ServiceChangelog } from '../../domain/status-page/ports.ts';
import { createSharedAnswers } from '../http/shared-answers.ts';
import type { StatusPageDeps } from './deps.ts';

/** A changelog as it was written, read into blocks. */
export interface WholeChangelog extends Omit<ServiceChangelog, 'notes'> {
  readonly blocks: readonly ChangelogBlock[];
}

/** Null for a service without one. @throws UNAVAILABLE where the registry does not answer */
export type FindChangelog = (service: string) => Promise<WholeChangelog | null>;

/** A changelog changes with a deploy: a visitor sees it half a minute later at the most. */
const MAX_AGE_MS = 30_000;
/** A registry that is away, or that refuses so many reads, is left alone for a moment. */
const FAILURE_MAX_AGE_MS = 5_000;
const MOST_BYTES = 16 * 1024 * 1024;
/** Blocks take some times the memory of their text. */
const BYTES_A_CHARACTER = 8;
const AT_ONCE = 8;
const READ_MS = 3_000;

/**
 * Changelogs of services, read from the registry once for all who look within half a minute, and a few at once: the registry
 * counts all of them as one client.
 */
export function createSharedChangelogs({
  changelogs,
  monotonicMs,
}: Pick<StatusPageDeps, 'changelogs' | 'monotonicMs'>): FindChangelog {
  if (changelogs === null) return async () => null;
  const share = createSharedAnswers<KeptChangelog>({
    ...{ maxAgeMs: MAX_AGE_MS, mostBytes: MOST_BYTES, monotonicMs },
    bytesOf: ({ characters }) => characters * BYTES_A_CHARACTER,
    errorMaxAgeMs: (error) => (error === NONE ? MAX_AGE_MS : FAILURE_MAX_AGE_MS),
  });
  const limit = limitAtOnce(AT_ONCE);
  return async (service) => {
    try {
      const { changelog } = await share(service, () => read(changelogs, service, limit));
      return changelog;
    } catch (error) {
      if (error === NONE) return null;
      throw error;
    }
  };
}

interface KeptChangelog {
  readonly changelog: WholeChangelog;
  readonly characters: number;
}

/** Kept among the errors: whoever asks for what is not there displaces nothing that is. */
const NONE = new FairleadError('NOT_FOUND', 'There is no such changelog');

async function read(
  source: ChangelogSource,
  service: string,
  limit: ReturnType<typeof limitAtOnce>,
): Promise<KeptChangelog> {
  const signal = AbortSignal.timeout(READ_MS);
  const found = await limit(() => source.find(service, signal), signal).catch((cause: unknown) => {
    throw signal.aborted ? tooSlow(cause) : cause;
  });
  if (found === null) throw NONE;
  const { notes, ...facts } = found;
  return { changelog: { ...facts, blocks: readChangelog(notes) }, characters: notes.length };
}

function tooSlow(cause: unknown): FairleadError {
  const message = 'The service registry does not answer with changelogs in time.';
  return new FairleadError('UNAVAILABLE', message, { system: 'registry', retryable: true, cause });
}
