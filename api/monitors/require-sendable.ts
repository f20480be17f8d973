import { FairleadError } from '../../domain/errors.ts';
import { type CheckHeader, secretsOf } from '../../domain/monitors/check-headers.ts';
import type { HttpCheck, MonitorCheck } from '../../domain/monitors/check-kinds.ts';
import { sendingProblem } from '../../domain/monitors/check-secret.ts';
import type { MonitorsDeps } from './deps.ts';

export const SECRETS_PATH = '/api/monitor-secrets';

/**
 * Refuses headers whose secrets would not be sent.
 * @throws VALIDATION_FAILED for a check that has no headers, or for a secret that is not there or is for other hosts
 */
export async function requireSendable(
  { checkSecrets, isPlatformHost }: Pick<MonitorsDeps, 'checkSecrets' | 'isPlatformHost'>,
  org: string | null,
  check: MonitorCheck,
  headers: readonly CheckHeader[],
): Promise<void> {
  if (check.kind !== 'http') throw refused('a check of this kind has none');
  const names = secretsOf(headers);
  if (names.length === 0) return;
  if (org === null) throw refused('a monitor without an org has no secrets');
  const { secrets } = await checkSecrets.find(org);
  for (const name of names) {
    const secret = secrets.find((each) => each.name === name);
    if (secret === undefined) throw refused(`${org} has no secret ${name}; PUT ${SECRETS_PATH}/${name} sets it`);
    const problem = sendingProblem(secret, check, isPlatformHost);
    if (problem !== null) throw refused(problem);
  }
}

/** A check over HTTP with other headers; without any it is as one that never had some. */
export function withHeaders({ headers: _before, ...check }: HttpCheck, headers: readonly CheckHeader[]): HttpCheck {
  return headers.length === 0 ? check : { ...check, headers };
}

function refused(problem: string): FairleadError {
  return new FairleadError('VALIDATION_FAILED', `headers: ${problem}`);
}
