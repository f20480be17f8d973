import { FairleadError } from '../../errors.ts';

/** Labels of letters, digits and hyphens in lower case, IDN as A-labels; at least two of them (RFC 1123, section 2.1; RFC 5890). */
const HOST = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** True for a name that may be a host of a customer and the name of a file. */
export function isHostName(text: string): boolean {
  return HOST.test(text);
}

/** @throws VALIDATION_FAILED */
export function checkedHostName(text: string): string {
  if (isHostName(text)) return text;
  throw new FairleadError('VALIDATION_FAILED', `${JSON.stringify(text)} is no host name in lower case`);
}
