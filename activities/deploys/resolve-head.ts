import type { DeploysDeps } from './deps.ts';
import { ownerOf } from './service-lookup.ts';

export interface HeadInput {
  readonly url: string;
  readonly branch: string | null;
  /** For which it is asked. Absent: asked by an earlier version, and without credentials. */
  readonly serviceId?: string;
}

/** The head of a branch now. It changes nothing. @throws as the port `SourceFetcher`; UNAVAILABLE */
export async function resolveHead(
  deps: Pick<DeploysDeps, 'services' | 'sources'>,
  { url, branch, serviceId }: HeadInput,
  signal: AbortSignal,
): Promise<{ commit: string; branch: string }> {
  const org = serviceId === undefined ? null : await ownerOf(deps, serviceId);
  return await deps.sources.resolveHead({ url, org }, branch, signal);
}
