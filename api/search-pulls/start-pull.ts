import { FairleadError } from '../../domain/errors.ts';
import { type Property, statusOf } from '../../domain/properties/property.ts';
import { type NewPull, type PropertyPull, runningPull } from '../../domain/search-pulls/pull-run.ts';
import type { SearchPullsDeps } from './deps.ts';

/** Proxies end a request after 60 s: the answer comes before. */
const WAIT_MS = 50_000;

/** Starts a pull of all properties. @throws GOOGLE_NOT_CONFIGURED, PULL_IN_PROGRESS, UNAVAILABLE */
export async function startPull(deps: SearchPullsDeps, requestedBy: string): Promise<string> {
  await requireWorker(deps);
  const startedAt = deps.now();
  const pull: NewPull = { id: deps.newId('searchPull'), trigger: 'manual', requestedBy, startedAt, since: startedAt };
  await deps.pullCommands.pullAll(pull);
  // Its workflow writes the same record: whoever asks for it right away finds it.
  await deps.pullRuns.insert(runningPull(pull));
  return pull.id;
}

/**
 * Pulls one property and waits for the end.
 * @throws PROPERTY_IGNORED; GOOGLE_PERMISSION for one that is not verified; GOOGLE_NOT_CONFIGURED; PULL_IN_PROGRESS; UNAVAILABLE when it takes longer
 *   than a request can wait, and goes on; what the search engine refuses
 */
export async function pullOne(deps: SearchPullsDeps, property: Property, gone: AbortSignal): Promise<PropertyPull> {
  const { domain } = property;
  const status = statusOf(property);
  if (status === 'ignored')
    throw new FairleadError('PROPERTY_IGNORED', `${domain} is ignored: nothing is pulled for it`);
  if (status !== 'verified') {
    throw new FairleadError('GOOGLE_PERMISSION', `${domain} is not verified: verify it before its numbers are pulled`);
  }
  await requireWorker(deps);
  const until = AbortSignal.any([gone, AbortSignal.timeout(WAIT_MS)]);
  const pull = await deps.pullCommands.pullOne({ property: domain, since: deps.now().toISOString() }, until);
  if (pull !== null) return pull;
  const message = `The pull of ${domain} goes on: its numbers are at GET /api/search/${domain} once it has ended`;
  throw new FairleadError('UNAVAILABLE', message, { retryable: true });
}

/** A pull that no worker can carry out would hold the lease until one comes. @throws GOOGLE_NOT_CONFIGURED */
async function requireWorker({ pullCommands }: SearchPullsDeps): Promise<void> {
  if (await pullCommands.isServed()) return;
  const message =
    'No worker pulls search numbers: set GOOGLE_APPLICATION_CREDENTIALS where one runs, and start it again';
  throw new FairleadError('GOOGLE_NOT_CONFIGURED', message);
}
