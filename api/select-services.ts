import { FairleadError } from '../domain/errors.ts';
import { SERVICE_NAMES, type ServiceName } from '../domain/services.ts';

/** Reads `--only idp,builder`; without it every service runs. @throws VALIDATION_FAILED naming what is unknown. */
export function selectServices(args: readonly string[]): readonly ServiceName[] {
  const [flag, list, ...rest] = args;
  if (flag === undefined) return SERVICE_NAMES;
  if (flag !== '--only' || list === undefined || rest.length > 0) {
    throw new FairleadError('VALIDATION_FAILED', `usage: api/main.ts [--only ${SERVICE_NAMES.join(',')}]`);
  }
  const wanted = list.split(',').map((name) => name.trim());
  const unknown = wanted.filter((name) => !SERVICE_NAMES.some((known) => known === name));
  if (unknown.length > 0) {
    const message = `--only: no service is called ${unknown.join(', ')}; there is ${SERVICE_NAMES.join(', ')}`;
    throw new FairleadError('VALIDATION_FAILED', message);
  }
  return SERVICE_NAMES.filter((name) => wanted.includes(name));
}
