import { FairleadError } from '../errors.ts';
import type { GitProvider } from '../git-provider.ts';

/** Public git hosts, and the API that each speaks: none of ours at some. Forgejo keeps the API and headers of Gitea. */
const PUBLIC_HOSTS: Readonly<Record<string, readonly GitProvider[]>> = {
  'github.com': ['github'],
  'gitlab.com': ['gitlab'],
  'codeberg.org': ['forgejo', 'gitea'],
  'gitea.com': ['gitea'],
  'bitbucket.org': [],
  'dev.azure.com': [],
  'git.sr.ht': [],
};

/**
 * Whether something can deliver pushes of a repository: no folder of the builder's machine does, and no host whose API is
 * none of ours. Such a repository is polled.
 * @param repository as a connection has it: an address, or an absolute path
 */
export function canDeliver(repository: string): boolean {
  return !repository.startsWith('/') && publicProviders(repository)?.length !== 0;
}

/**
 * Checks that deliveries can arrive from where a repository is said to be, or that it is polled.
 * @throws VALIDATION_FAILED naming `provider` or `pollMinutes`
 */
export function checkProvider(
  repository: string,
  { provider, pollMinutes }: { readonly provider: GitProvider; readonly pollMinutes: number | null },
): void {
  if (!canDeliver(repository)) {
    if (pollMinutes !== null) return;
    const place = repository.startsWith('/') ? "a folder of the builder's machine" : hostOf(repository);
    const message = `nothing can deliver pushes from ${place}: have it polled, such as every 5 minutes (--poll 5m)`;
    throw refused('pollMinutes', message);
  }
  const known = publicProviders(repository);
  if (known === undefined || known.includes(provider)) return;
  throw refused('provider', `${hostOf(repository)} is no ${provider}: give ${known.join(' or ')} as the provider`);
}

/** Undefined for a host that nobody knows by its name. */
function publicProviders(repository: string): readonly GitProvider[] | undefined {
  const host = hostOf(repository);
  return Object.hasOwn(PUBLIC_HOSTS, host) ? PUBLIC_HOSTS[host] : undefined;
}

function hostOf(repository: string): string {
  return URL.canParse(repository) ? new URL(repository).hostname.replace(/^(www|ssh)\./, '') : '';
}

function refused(field: string, message: string): FairleadError {
  return new FairleadError('VALIDATION_FAILED', `${field}: ${message}`, { details: [{ field, message }] });
}
