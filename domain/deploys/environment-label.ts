import { ENVIRONMENTS, type Environment } from '../environment.ts';
import { FairleadError } from '../errors.ts';

/** The environment in a label of what a runtime holds. @param holder such as `Container 1f0c` @throws INTERNAL */
export function environmentOfLabel(label: string | undefined, holder: string): Environment {
  const environment = ENVIRONMENTS.find((name) => name === label);
  if (environment !== undefined) return environment;
  throw new FairleadError('INTERNAL', `${holder} has an unknown environment label; remove it`);
}
